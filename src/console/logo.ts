/** The logo of the account: its path names its hash, so that a browser may cache it for ever. */
import { hash } from 'node:crypto';
import { notFound } from '../base/errors/errors.ts';
import { CONSOLE_PATH } from '../base/pages/console-url.ts';
import { dataOf, type Execute } from './execute.ts';
import type { LogoQuery } from './generated/graphql.ts';
import { operationNamed } from './operations.ts';

/** An image. */
export interface Image {
  readonly type: string;
  readonly content: Buffer;
}

const FOLDER = `${CONSOLE_PATH}/logo/`;
const DATA_URL = /^data:([a-z/]+);base64,(.*)$/;

/** @returns the path of a logo. @param sha256 - hex. */
export function logoPath(sha256: string): string {
  return FOLDER + sha256;
}

/** @returns whether a path is that of a logo. */
export function isLogo(path: string): boolean {
  return path.startsWith(FOLDER);
}

/** @returns the logo of the session's account. @throws {GatewayError} `NOT_FOUND` if the path names another logo. */
export async function readLogo({
  execute,
  path,
}: {
  readonly execute: Execute;
  readonly path: string;
}): Promise<Image> {
  const { viewer } = await dataOf<LogoQuery>(execute, operationNamed('Logo'), {});
  const [, type = '', text = ''] = DATA_URL.exec(viewer.account.logo ?? '') ?? [];
  const content = Buffer.from(text, 'base64');
  if (type === '' || path !== logoPath(hash('sha256', content, 'hex'))) throw notFound();
  return { type, content };
}
