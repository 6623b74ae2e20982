/**
 * Goal: a refused form says what to do in the language of the page, without names of the API; an act that was done says which
 * one. Method: errors as the API answers with them, and every mutation of the console.
 */
import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode, GatewayError, invalidParameters } from '../../src/base/errors/errors.ts';
import { actionOfMutation } from '../../src/console/context.ts';
import { OPERATIONS } from '../../src/console/operations.ts';
import { refusalOf } from '../../src/console/refusal.ts';
import { ACTION_TEXTS } from '../../src/console/words/actions.ts';

test('every action of the console has a success text', () => {
  const actions = [...OPERATIONS.values()].filter(({ isMutation }) => isMutation);
  expect(actions.filter(({ field }) => actionOfMutation(field) === null)).toEqual([]);
  expect(actionOfMutation('createOfframp')).toBe('offramp.create');
  expect(ACTION_TEXTS['key.revoke']).toEqual({ en: 'API key revoked', pt: 'Chave de API revogada' });
  expect([actionOfMutation('nothing'), actionOfMutation(undefined)]).toEqual([null, null]);
});

describe('a refusal', () => {
  test.each(
    Object.keys(ERRORS) as ErrorCode[],
  )('with %s is a sentence of its own in both languages', (code) => {
    const error = new GatewayError(code, 'input.someField was wrong');
    const [en, pt] = (['en', 'pt'] as const).map((language) => refusalOf(error, language).message);
    expect([en, pt]).toEqual([expect.stringMatching(/^[A-Z].*\.$/), expect.stringMatching(/^[A-Z].*\.$/)]);
    expect([en === pt, /someField/.test(`${en}${pt}`)]).toEqual([false, false]);
  });

  test.each([
    [
      'must be from 1.00 to 50000.00',
      'Enter a value from 1.00 to 50000.00',
      'Digite um valor de 1,00 a 50000,00',
    ],
    ['is required', 'Enter a value', 'Preencha este campo'],
    ['must not exceed amountMax, 12.50', 'Enter at most 12.50', 'Digite no máximo 12,50'],
    ['must not be given together with first', 'Check this value', 'Confira este valor'],
  ])('of a value, "%s", says what to enter', (message, en, pt) => {
    const error = invalidParameters([{ parameter: 'input.amountMin', message }]);
    expect([refusalOf(error, 'en').message, refusalOf(error, 'pt').message]).toEqual([`${en}.`, `${pt}.`]);
    expect(refusalOf(error, 'pt').violations).toEqual([{ parameter: 'input.amountMin', message: pt }]);
  });

  test('of a list that changed meanwhile reports it, whatever its value', () => {
    const violations = [{ parameter: 'replaces', message: 'the list has changed meanwhile' }];
    const error = new GatewayError('LIST_CHANGED', 'the list has changed meanwhile', { violations });
    expect(refusalOf(error, 'en').message).toMatch(/^Someone else changed this list\. .*\.$/);
  });

  test('names the reason, if it is known', () => {
    const error = new GatewayError('FORBIDDEN', 'this requires a role with the scope "create"');
    expect(refusalOf(error, 'pt').message).toMatch(/^Sua função não permite isso\./);
  });
});
