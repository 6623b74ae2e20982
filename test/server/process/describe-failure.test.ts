/** Why a process failed is said in one line (C-51). */
import { expect, it } from 'vitest';
import { describeFailure } from '../../../src/server/process/describe-failure.ts';
import { openDatabase } from '../../../src/store/connection/connection.ts';
import { prismaOf } from '../../../src/store/connection/prisma.ts';
import { freePort } from '../../support/free-port.ts';

it('C-51: a database that disconnected during a start is one line, even if Prisma reports it in five', async () => {
  const database = openDatabase(`postgresql://nobody@127.0.0.1:${await freePort()}/none`);
  const error = await prismaOf(database)
    .account.findUnique({ where: { id: 1n } })
    .catch((reason: Error) => reason);
  await database.close();
  expect((error as Error).message).toContain('\n');
  expect(describeFailure(error)).toMatch(/^the database went away: .*127\.0\.0\.1:\d+$/);
});
