/** Parts of the mutations that make a transaction: members of their inputs and payloads, and checks. */

import type { ObjectFieldsShape } from '@pothos/core';
import { known } from '../base/errors/assert.ts';
import { EXPIRES_IN, type Member, type Members } from '../resolvers/checks/creation-members.ts';
import type { Builder } from './builder.ts';
import type { BuilderTypes, Outcome } from './mutation.ts';
import type { Done } from './once.ts';
import type { TemplateRef } from './template.ts';

/** @returns the transaction from the result of a creation's resolver. */
export const rowOf = ({ row }: Done) => row as never;

/** Defines the members of a payload. */
export type PayloadFields = Parameters<ObjectFieldsShape<BuilderTypes, Outcome<Done>>>[0];

/** Defines the member of the payload that distinguishes a replayed answer from a new one. */
export function replayedField(t: PayloadFields) {
  return t.boolean({
    description:
      'True when the `idempotencyKey` was used before: the earlier answer, which may be a refusal, is repeated; nothing new was created.',
    resolve: ({ result, isReplayed = false }) => result?.isReplayed ?? isReplayed,
  });
}

/**
 * Defines the members of a list in the input of a creation.
 *
 * @param choices - the enums of members that are a choice.
 */
export function memberFields<List extends Members>(
  t: InputFields,
  list: List,
  choices: Readonly<Record<string, ChoiceRef>> = {},
): { [Name in keyof List]: ReturnType<InputFields['string']> } {
  return Object.fromEntries(
    Object.entries(list).map(([name, member]) => [name, memberField(t, member, choices[name])]),
  ) as { [Name in keyof List]: ReturnType<InputFields['string']> };
}

/** @returns a list without these members. */
export function membersWithout<List extends Members, Name extends keyof List & string>(
  list: List,
  names: readonly Name[],
): Omit<List, Name> & Members {
  const left = Object.entries(list).filter(([name]) => !names.includes(name as Name));
  return Object.fromEntries(left) as Omit<List, Name> & Members;
}

/** An enum with any values. */
type ChoiceRef = ReturnType<Builder['enumType']>;

function memberField(t: InputFields, member: Member, choice: ChoiceRef | undefined) {
  const { doc: description, isRequired: required = false } = member;
  switch (member.is) {
    case 'amount':
      return t.field({ type: 'Decimal', required, description });
    case 'seconds':
      return t.int({ defaultValue: EXPIRES_IN.default, description });
    case 'choice': {
      const byDefault = member.default && { required: true, defaultValue: member.default };
      return t.field({ type: known(choice, 'an enum') as unknown as 'String', description, ...byDefault });
    }
    default:
      return t.string({ required, description });
  }
}

/** Defines the choice of a template in the input of each creation. */
export function templateField(t: InputFields, template: TemplateRef) {
  return t.field({
    type: template,
    description: 'Template of the transaction. Default: the usual one for the currency and the destination.',
  });
}

/** Builder of an input object's fields. */
export type InputFields = Parameters<Parameters<Builder['inputType']>[1]['fields']>[0];
