/**
 * Generates a client by each generator from the OpenAPI document of a running gateway (BASE_URL), into the folder `generated`. The
 * programs in `calls` use them.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createClient } from '@hey-api/openapi-ts';
import { build } from '@kubb/core';
import { pluginClient } from '@kubb/plugin-client';
import { pluginOas } from '@kubb/plugin-oas';
import { pluginTs } from '@kubb/plugin-ts';
import openapiTs, { astToString } from 'openapi-typescript';
import { generate } from 'orval';

const ROOT = fileURLToPath(new URL('.', import.meta.url));
const FOLDER = `${ROOT}generated`;
const { BASE_URL: baseUrl } = process.env;
const input = `${FOLDER}/openapi.json`;

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(`${FOLDER}/openapi-typescript`, { recursive: true });
const document = await (await fetch(`${baseUrl}/v2/openapi.json`)).json();
writeFileSync(input, JSON.stringify(document));
writeFileSync(`${FOLDER}/openapi-typescript/paths.ts`, astToString(await openapiTs(document)));
await createClient({
  input,
  output: { path: `${FOLDER}/hey-api`, importFileExtension: '.ts' },
  logs: { level: 'silent' },
  plugins: ['@hey-api/typescript', '@hey-api/sdk', '@hey-api/client-fetch'],
});
await generate({
  input: { target: input },
  output: { target: `${FOLDER}/orval/client.ts`, mode: 'single', client: 'fetch', baseUrl },
});
const { error, failedPlugins } = await build({
  config: {
    root: ROOT,
    input: { path: input },
    output: {
      path: `${FOLDER}/kubb`,
      extension: { '.ts': '.ts' },
      format: false,
      lint: false,
    },
    plugins: [pluginOas({ generators: [] }), pluginTs({}), pluginClient({ client: 'fetch' })],
  },
});
if (error || failedPlugins.size > 0) throw error ?? new Error('kubb failed');
