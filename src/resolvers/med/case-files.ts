/** Checks files that callers attach to MED cases: a kind of file by its own bytes, never by its name. */
import type { Named } from '../../base/errors/violations.ts';
import { stripMetadata } from '../../base/pages/picture.ts';
import type { MedFile, MedFileType } from '../../store/rails/med-files.ts';
import type { CreationChecks } from '../checks/check-creation.ts';

/** Bytes of a file (512 KiB), files that are attached to a case, evidence packs of a case, characters of a file name. */
export const MED_FILE_MAX = { bytes: 524_288, attachments: 5, packs: 5, name: 100 } as const;
const DATA_URL = /^data:(?:application\/pdf|image\/[a-z]+);base64,([A-Za-z0-9+/]+={0,2})$/;
const PDF = /^%PDF-[12]\.\d/;
/** A PDF ends with this, and perhaps with blanks. */
const PDF_END = /%%EOF\s*$/;
const PDF_END_BYTES = 64;
/** A name that no system takes for a path. */
const NAME = /^[^/\\:*?"<>|]+$/;
const EXTENSIONS: Readonly<Record<MedFileType, RegExp>> = {
  'application/pdf': /\.pdf$/i,
  'image/png': /\.png$/i,
  'image/jpeg': /\.jpe?g$/i,
  'image/webp': /\.webp$/i,
  'text/html': /\.html$/i,
};

/** A checked file: of a picture, the parts that draw it alone. */
export type CheckedFile = Pick<MedFile, 'name' | 'type'> & { readonly content: Buffer };

/** @returns the file; undefined where something of it is not accepted. */
export function checkFile(
  checks: CreationChecks,
  input: { readonly name: Named; readonly content: Named },
): CheckedFile | undefined {
  const name = fileName(checks, input.name);
  const file = fileOf(input.content.value);
  if (!file)
    checks.add({
      parameter: input.content.name,
      message: `must be a complete PDF, PNG, JPEG or WebP of at most ${MED_FILE_MAX.bytes} bytes, as data:…;base64,…`,
    });
  if (!file || name === undefined) return undefined;
  if (EXTENSIONS[file.type].test(name)) return { name, ...file };
  return checks.add({
    parameter: input.name.name,
    message: `must end as a file of the type ${file.type} does`,
  });
}

function fileName(checks: CreationChecks, input: Named): string | undefined {
  const name = checks.words(input, MED_FILE_MAX.name);
  if (name === undefined || (NAME.test(name) && !name.startsWith('.'))) return name;
  return checks.add({
    parameter: input.name,
    message: 'must be the name of a file without a path, such as receipt.pdf',
  });
}

function fileOf(value: string): Omit<CheckedFile, 'name'> | undefined {
  const bytes = Buffer.from(DATA_URL.exec(value)?.[1] ?? '', 'base64');
  if (bytes.length > MED_FILE_MAX.bytes) return undefined;
  const end = bytes.subarray(-PDF_END_BYTES).toString('latin1');
  if (PDF.test(bytes.subarray(0, 8).toString('latin1')) && PDF_END.test(end))
    return { type: 'application/pdf', content: bytes };
  const picture = stripMetadata(bytes);
  return picture && { type: picture.type, content: picture.image };
}
