/** Names of the types of PIX keys, in both languages. */
import type { PixKeyType } from '../base/pix/pix-key.ts';
import { type Label, label } from '../base/text/label.ts';
import type { Language } from './language.ts';

const WORDS: Readonly<Record<PixKeyType, Label>> = {
  cpf: label('CPF', 'CPF'),
  cnpj: label('CNPJ', 'CNPJ'),
  email: label('E-mail', 'E-mail'),
  phone: label('Phone', 'Telefone'),
  random: label('Random key', 'Chave aleatória'),
};

/** @returns the name of a type; GraphQL writes it in capitals. */
export function pixKeyTypeWord(type: PixKeyType | Uppercase<PixKeyType>, language: Language): string {
  return WORDS[type.toLowerCase() as PixKeyType][language];
}
