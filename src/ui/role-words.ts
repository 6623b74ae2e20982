/** What roles of people are called, in both languages. */
import { type Label, label } from '../base/label.ts';
import type { Role } from '../base/roles.ts';
import type { Language } from './language.ts';

const WORDS: Readonly<Record<Role, Label>> = {
  viewer: label('Viewer', 'Leitor'),
  finance: label('Finance', 'Financeiro'),
  developer: label('Developer', 'Desenvolvedor'),
  operator: label('Operator', 'Operador'),
  owner: label('Owner', 'Proprietário'),
  platform_viewer: label('Platform, viewer', 'Plataforma, leitor'),
  platform_risk: label('Platform, risk', 'Plataforma, risco'),
  platform_finance: label('Platform, finance', 'Plataforma, financeiro'),
  platform_operator: label('Platform, operator', 'Plataforma, operador'),
  platform_owner: label('Platform, owner', 'Plataforma, proprietário'),
};

/** @returns what a role is called; GraphQL writes its name in capitals. */
export function roleWord(role: Role | Uppercase<Role>, language: Language): string {
  return WORDS[role.toLowerCase() as Role][language];
}
