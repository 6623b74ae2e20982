/** Writes the generated files of the client libraries; decision 0073. */
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles } from './generated-files.ts';

for (const [name, text] of Object.entries(generatedFiles()))
  writeFileSync(fileURLToPath(new URL(`../../${name}`, import.meta.url)), text);
