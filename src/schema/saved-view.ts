/** Views: `Person.savedViews`, and the mutations that store and delete one. */
import { inProse } from '../resolvers/checks/lengths.ts';
import { forgetView, ownViews, saveView, VIEW_LENGTHS, VIEWS_MAX } from '../resolvers/people/views.ts';
import type { SavedView } from '../store/people/saved-views.ts';
import type { Builder } from './builder.ts';
import { isoOf } from './iso-of.ts';
import { defineMutation } from './mutation.ts';
import type { PersonRef } from './people.ts';

const NAME = `Name of the view, 1 to ${VIEW_LENGTHS.name} characters.`;

/** Defines `SavedView`, `Person.savedViews`, `saveView` and `removeView`. */
export function defineSavedViews(builder: Builder, person: PersonRef): void {
  const view = builder.objectRef<SavedView>('SavedView').implement({
    description: 'An address of a screen that a person saved under a name.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Name of the view.' }),
      path: t.exposeString('path', {
        description: 'Path of the screen with its query: all filters are in it.',
      }),
      createdAt: t.field({
        type: 'DateTime',
        description: 'When a view of this name was first saved.',
        resolve: (row) => isoOf(row.createdAt),
      }),
    }),
  });
  builder.objectField(person, 'savedViews', (t) =>
    t.field({
      type: [view],
      description: `The views of the person in the account of the request, by name; at most ${VIEWS_MAX}.`,
      resolve: (_row, _args, context) => ownViews(context),
    }),
  );
  defineMutation(builder, 'saveView', {
    result: ['savedView', view],
    description: `Saves an address under a name, for the person of the request in this account, at most ${VIEWS_MAX}; a view of the same name is replaced. People only. Needs the scope \`read\`.`,
    input: (t) => ({
      name: t.string({ required: true, description: NAME }),
      path: t.string({
        required: true,
        description: `Path below /console with its query, at most ${inProse(VIEW_LENGTHS.path)} characters.`,
      }),
    }),
    resolve: ({ name, path }, context) =>
      saveView(context, { name: 'input.name', value: name }, { name: 'input.path', value: path }),
  });
  defineMutation(builder, 'removeView', {
    result: ['savedView', view],
    description: 'Removes one of your own views. People only. Needs the scope `read`.',
    input: (t) => ({ name: t.string({ required: true, description: NAME }) }),
    resolve: ({ name }, context) => forgetView(context, name),
  });
}
