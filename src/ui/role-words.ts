/** Names of people's roles, in both languages. */

import type { Role } from '../base/access/roles.ts';
import { type Label, label } from '../base/text/label.ts';
import type { Language } from './language.ts';

const WORDS: Readonly<Record<Role, Label>> = {
  viewer: label('Viewer', 'Consulta'),
  finance: label('Finance', 'Financeiro'),
  developer: label('Developer', 'Desenvolvimento'),
  operator: label('Operator', 'Operador'),
  owner: label('Owner', 'Proprietário'),
  platform_viewer: label('Platform viewer', 'Consulta da plataforma'),
  platform_risk: label('Platform risk', 'Risco da plataforma'),
  platform_finance: label('Platform finance', 'Financeiro da plataforma'),
  platform_operator: label('Platform operator', 'Operador da plataforma'),
  platform_owner: label('Platform owner', 'Proprietário da plataforma'),
};

const WHAT: Readonly<Record<Role, Label>> = {
  viewer: label('sees everything, changes nothing', 'vê tudo, não altera nada'),
  finance: label('sees everything, moves money', 'vê tudo, movimenta dinheiro'),
  developer: label(
    'creates payments, manages keys and settings',
    'cria cobranças, gerencia chaves e configurações',
  ),
  operator: label('does everything', 'faz tudo'),
  owner: label('does everything, decides who is an owner', 'faz tudo, decide quem é proprietário'),
  platform_viewer: label('sees everything, changes nothing', 'vê tudo, não altera nada'),
  platform_risk: label('decides about holds and customers', 'decide sobre retenções e clientes'),
  platform_finance: label('sets prices, keeps the books', 'define preços, cuida da contabilidade'),
  platform_operator: label('does everything for accounts', 'faz tudo pelas contas'),
  platform_owner: label('does everything, manages keys and people', 'faz tudo, gerencia chaves e pessoas'),
};

/** @returns the name of a role with its purpose, for a choice among roles. */
export function roleChoice(role: Role | Uppercase<Role>, language: Language): string {
  return `${roleWord(role, language)}: ${WHAT[role.toLowerCase() as Role][language]}`;
}

/** @returns the name of a role; GraphQL writes it in capitals. */
export function roleWord(role: Role | Uppercase<Role>, language: Language): string {
  return WORDS[role.toLowerCase() as Role][language];
}
