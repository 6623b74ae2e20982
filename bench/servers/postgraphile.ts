/**
 * PostGraphile on the same tables: its own preset for new projects, nothing per request but the query itself (no
 * key, no settings, no role), no development tools. Relations that have no foreign key are told by smart tags.
 */
import 'postgraphile';
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { jsonPgSmartTags } from 'postgraphile/utils';
import { CONNECTIONS, DATABASE_URL, serve } from './ready.ts';

const relations = jsonPgSmartTags({
  version: 1,
  config: {
    class: {
      ledger_line: {
        tags: {
          foreignKey: [
            '(account_id, ledger_account_id) references ledger_account (account_id, id)|@fieldName ledgerAccount',
            '(account_id, transaction_id) references transaction (account_id, id)|@fieldName transaction',
          ],
        },
      },
    },
  },
});

const instance = postgraphile({
  extends: [PostGraphileAmberPreset],
  plugins: [relations],
  pgServices: [
    makePgService({
      connectionString: DATABASE_URL,
      schemas: ['public'],
      pubsub: false,
      poolConfig: { max: CONNECTIONS },
    }),
  ],
  grafserv: { graphiql: false, watch: false, websockets: false },
  grafast: { explain: false },
});
const service = instance.createServ(grafserv);
let handle: Parameters<typeof serve>[0] = () => {};
// Grafserv puts its listener on a server; the requests of ours are handed to that listener.
const host = createServer();
await service.addTo(host);
handle = host.listeners('request')[0] as typeof handle;
await serve(handle, async () => instance.release());
