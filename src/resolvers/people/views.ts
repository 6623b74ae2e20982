/** Views: addresses of screens that a person stores under a name, separately in each account. */
import { assert } from '../../base/errors/assert.ts';
import { GatewayError, notFound } from '../../base/errors/errors.ts';
import type { Named } from '../../base/errors/violations.ts';
import { consolePathOf } from '../../base/pages/console-url.ts';
import {
  readViews,
  removeView,
  type SavedView,
  storeView,
  type ViewOwner,
} from '../../store/people/saved-views.ts';
import { requireAccess } from '../checks/access.ts';
import { audited } from '../checks/audited.ts';
import { checksOf } from '../checks/check-creation.ts';
import { type Context, requirePermission, requireScope } from '../services/context.ts';

/** Maximum number of views of a person in an account. */
export const VIEWS_MAX = 50;
/** Maximum number of characters of a name, and of a path. */
export const VIEW_LENGTHS = { name: 60, path: 2_000 } as const;

/** @returns the views of the calling person, by name; none for a key. */
export async function ownViews(context: Context): Promise<SavedView[]> {
  requireScope(context, 'read');
  return context.caller.person ? readViews(context.database, ownerOf(context)) : [];
}

/**
 * Stores an address under a name; it replaces another one with this name.
 *
 * @throws {GatewayError} `FORBIDDEN` for a key; `INVALID_PARAMETER`, also for one view too many.
 */
export async function saveView(context: Context, name: Named, path: Named): Promise<SavedView> {
  requirePermission(context, 'view.save');
  const violations = checksOf(context);
  const own = { name: violations.words(name, VIEW_LENGTHS.name), path: path.value };
  if (own.path.length > VIEW_LENGTHS.path || consolePathOf(own.path) !== own.path)
    violations.add({
      parameter: path.name,
      message: `must be a path below /console with its query, of at most ${VIEW_LENGTHS.path} characters`,
    });
  violations.refuse();
  if (!context.caller.person) throw new GatewayError('FORBIDDEN', 'views belong to people: a key has none');
  return audited(context, async (tx, writeDown) => {
    // Views belong to a membership: that of a person who was removed has none.
    await requireAccess(context, tx, ['read']);
    const views = await readViews(tx, ownerOf(context));
    if (views.length >= VIEWS_MAX && !views.some((each) => each.name === own.name))
      violations.add({ parameter: name.name, message: `there are ${VIEWS_MAX} views already: remove one` });
    violations.refuse();
    const view = await storeView(
      tx,
      ownerOf(context),
      { name: own.name ?? '', path: own.path },
      new Date(context.database.nowMs()),
    );
    assert(view, 'an insert returns its row');
    writeDown('view.save', { kind: 'view', id: view.name });
    return view;
  });
}

/** Forgets a view. @throws {GatewayError} `NOT_FOUND`, also for a key, which has none. */
export async function forgetView(context: Context, name: string): Promise<SavedView> {
  requirePermission(context, 'view.remove');
  return audited(context, async (tx, writeDown) => {
    const view = name.includes('\0') ? undefined : await removeView(tx, ownerOf(context), name);
    if (!view) throw notFound();
    writeDown('view.remove', { kind: 'view', id: name });
    return view;
  });
}

function ownerOf({ caller }: Context): ViewOwner {
  return { accountId: caller.accountId, personId: caller.id };
}
