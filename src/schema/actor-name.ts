/** The name next to the id of a key or person that did something. */
import type { GraphqlContext } from './builder.ts';

/**
 * @param idOf - id of the key or person; null for none.
 * @returns the options of a field with the name.
 */
export function actorNameField<Row>(idOf: (row: Row) => string | null) {
  return {
    type: 'String',
    nullable: true,
    description: 'Name of that key or person, as it is now; null for other actors.',
    resolve: (row: Row, _args: object, { loaders }: GraphqlContext) => {
      const id = idOf(row);
      return id === null ? null : loaders.actorName.load(id);
    },
  } as const;
}
