/**
 * A part of the OpenAPI document: the operations of one tag with all that they refer to, for language models, which are
 * billed by length.
 */

import { TAGS } from './openapi-tags.ts';

type Json = Readonly<Record<string, unknown>>;

/** Parts of an OpenAPI document from which a smaller one is cut. */
interface WholeOpenApi extends Json {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly tags: readonly string[] }>>>>;
  readonly components: Readonly<Record<string, Json>>;
}

/**
 * @param document - the result of `openApiDocument`, as plain data.
 * @returns a function per tag that builds the document of its part.
 */
export function openApiParts(document: () => Json): Readonly<Record<string, () => string>> {
  return Object.fromEntries(
    TAGS.map(
      (tag) => [tag.name, () => JSON.stringify(openApiPart(document() as WholeOpenApi, tag))] as const,
    ),
  );
}

/** @returns the document with only the operations of a tag, without webhooks. */
function openApiPart({ webhooks: _, ...whole }: WholeOpenApi, tag: { readonly name: string }): Json {
  const paths = Object.fromEntries(
    Object.entries(whole.paths).flatMap(([path, operations]) => {
      const selected = Object.entries(operations).filter(([, { tags }]) => tags.includes(tag.name));
      return selected.length > 0 ? [[path, Object.fromEntries(selected)]] : [];
    }),
  );
  return { ...whole, tags: [tag], paths, components: componentsOf(whole.components, paths) };
}

/**
 * @returns the components that are referred to, directly or through others, in their original order; security schemes
 * stay.
 */
function componentsOf(all: WholeOpenApi['components'], from: unknown): Json {
  const needed = new Set<string>();
  const waiting = [from];
  while (waiting.length > 0) {
    for (const reference of referencesIn(waiting.pop())) {
      if (needed.has(reference)) continue;
      needed.add(reference);
      const [, , kind = '', name = ''] = reference.split('/');
      waiting.push(all[kind]?.[name]);
    }
  }
  return Object.fromEntries(
    Object.entries(all).flatMap(([kind, members]) => {
      const isSelected = (name: string) =>
        kind === 'securitySchemes' || needed.has(`#/components/${kind}/${name}`);
      const selected = Object.entries(members).filter(([name]) => isSelected(name));
      return selected.length > 0 ? [[kind, Object.fromEntries(selected)]] : [];
    }),
  );
}

function referencesIn(value: unknown): string[] {
  return [...JSON.stringify(value ?? null).matchAll(/"\$ref":"(#\/components\/[^"]+)"/g)].map(
    ([, reference]) => reference as string,
  );
}
