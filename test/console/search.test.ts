/** Goal: a person who searches an amount gets to its transactions. Method: the screen of the real application. */
import { expect, test } from 'vitest';
import { useApp } from '../support/app.ts';
import { visit } from '../support/console.ts';
import { signInAs } from '../support/people.ts';

const app = useApp();

test('an amount leads to the list with a filter by it, in the notation of the language; other numbers do not', async () => {
  const owner = await signInAs(app, app.accountId, { email: 'rita@shop.invalid', role: 'owner' });
  const search = async (text: string, lang: string) =>
    (await visit(app, owner, `/console/search?lang=${lang}&q=${encodeURIComponent(text)}`)).text;
  expect(await search('R$ 1.234,50', 'pt')).toMatch(
    /href="\/console\/transactions\?amountMin=1\.234%2C50&amp;amountMax=1\.234%2C50">Transações de R\$\s1\.234,50</,
  );
  expect(await search('1,234.50', 'en')).toContain('Transactions of R$1,234.50');
  for (const other of ['52998224725', '529.982.247-25', '1.234', 'Ana 150', '0.123456'])
    expect(await search(other, 'en')).not.toContain('Transactions of');
  const { text } = await visit(
    app,
    owner,
    '/console/transactions?lang=pt&amountMin=1.234%2C50&amountMax=1.234%2C50',
  );
  expect(text).toContain('1.234,50');
});
