/** A process that works on a network until it is killed: `CHAIN` in its environment says where everything is. Events go to the table `told`. */
import pg from 'pg';
import { createEvm, readEvmSettings } from '../../src/rails/evm/index.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { SYSTEM_CLOCK } from './machine-clock.ts';
import { testSigner } from './test-signer.ts';

/** What the process is told. */
export interface ChainProcess {
  readonly url: string;
  readonly node: string;
  readonly seed: string;
}

const { url, node, seed } = JSON.parse(process.env.CHAIN ?? '{}') as ChainProcess;
const signer = testSigner(seed);
const database = openDatabase(url, { connections: 2 });
await database.readClock();
const told = new pg.Pool({ connectionString: url, max: 1 });
const { xpub, hotAddress } = signer;
const given = { kind: 'evm', providers: [node], confirmations: 3, xpub, hotAddress };
const silent = { info: () => {}, warn: () => {}, error: () => {} };
createEvm(
  { ...readEvmSettings(given, 'live.networks.ETH', 'ETH'), pollMs: 5, stuckMs: 500 },
  {
    mode: 'live',
    network: 'ETH',
    database,
    clock: SYSTEM_CLOCK,
    signer,
    log: silent,
    receive: async (event) => {
      const name = 'order' in event ? event.order : null;
      await told.query('insert into told (kind, name) values ($1, $2) on conflict do nothing', [
        event.kind,
        name,
      ]);
      return { outcome: 'noted' };
    },
  },
).start();
process.stdout.write('ready\n');
