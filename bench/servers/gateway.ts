/** The gateway itself, as it is in production but for the rate limit and the log. */
import { pino } from 'pino';
import { createServices } from '../../src/compose/services.ts';
import { readConfig } from '../../src/config.ts';
import { createApp } from '../../src/server/app.ts';
import { openDatabase } from '../../src/store/connection/connection.ts';
import { REGISTRY } from '../../src/templates/index.ts';
import { CONNECTIONS, DATABASE_URL, serve } from './ready.ts';

const database = openDatabase(DATABASE_URL, { connections: CONNECTIONS });
const { BENCH_RATE_LIMIT, REQUEST_LOG_DAYS, ANSWERS_MAX_MB } = process.env;
const config = readConfig({ RATE_LIMIT: BENCH_RATE_LIMIT ?? 'off', REQUEST_LOG_DAYS, ANSWERS_MAX_MB });
const services = createServices({ database, registry: REGISTRY, config });
const { handle } = createApp({ config, services, log: pino({ level: 'silent' }) });
await serve(handle, () => database.close());
