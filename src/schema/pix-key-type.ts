/** PixKeyType: the types of a PIX key. */
import type { PixKeyType } from '../base/pix/pix-key.ts';
import type { Builder } from './builder.ts';

const TYPES = {
  CPF: { value: 'cpf', description: 'CPF of a person: 11 digits.' },
  CNPJ: { value: 'cnpj', description: 'CNPJ of a company: 14 characters.' },
  EMAIL: { value: 'email', description: 'Email address of at most 77 characters.' },
  PHONE: { value: 'phone', description: 'Brazilian mobile phone, `+55` and 11 digits.' },
  RANDOM: { value: 'random', description: 'Random key of the directory: a UUID.' },
} as const satisfies Record<Uppercase<PixKeyType>, { value: PixKeyType; description: string }>;

/** Defines `PixKeyType`. */
export function definePixKeyType(builder: Builder) {
  return builder.enumType('PixKeyType', {
    description: 'Type of a PIX key; `/v2` has the same values in lower case.',
    values: TYPES,
  });
}

/** The enum `PixKeyType`. */
export type PixKeyTypeRef = ReturnType<typeof definePixKeyType>;
