/** Health check of a bank profile: missing values that only the operator knows, and open questions for the bank. */
import type { Check } from '../../resolvers/services/rail-part.ts';
import { BANK_PROFILES, type BankProfile } from './bank-profiles.ts';
import type { ApiPixSettings } from './settings.ts';

/** @returns the check; an empty list without a profile. */
export function profileChecks(
  settings: Pick<ApiPixSettings, 'profile' | 'headers' | 'query' | 'payouts'>,
): readonly Check[] {
  const { profile: name, payouts } = settings;
  if (name === null) return [];
  const profile: BankProfile = BANK_PROFILES[name];
  const missing = [
    ...missingFrom('headers', profile.needs.headers, settings.headers),
    ...missingFrom('query', profile.needs.query, settings.query),
  ];
  const words = [
    missing.length > 0 ? `${name} refuses calls without ${missing.join(' and ')}` : name,
    profile.payouts && !payouts && 'payouts are not configured',
    profile.open.length > 0 && `ask the bank about ${profile.open.join('; ')}`,
  ];
  return [{ check: 'profile', ok: missing.length === 0, detail: words.filter(Boolean).join('; ') }];
}

function missingFrom(
  setting: string,
  names: readonly string[],
  members: Readonly<Record<string, string>>,
): readonly string[] {
  const input = Object.keys(members).map((name) => name.toLowerCase());
  return names.filter((name) => !input.includes(name.toLowerCase())).map((name) => `${setting}.${name}`);
}
