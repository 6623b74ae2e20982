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

/** @returns the name of a role; GraphQL writes it in capitals. */
export function roleWord(role: Role | Uppercase<Role>, language: Language): string {
  return WORDS[role.toLowerCase() as Role][language];
}
