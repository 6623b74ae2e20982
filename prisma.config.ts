import { defineConfig } from 'prisma/config';

// `prisma generate` asks for a schema engine although generating never runs it; any executable
// satisfies the check, and none has to be downloaded (docs/decisions/0066).
process.env.PRISMA_SCHEMA_ENGINE_BINARY ??= process.execPath;

export default defineConfig({ schema: 'prisma/schema.prisma', migrations: { path: 'prisma/migrations' } });
