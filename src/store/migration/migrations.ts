/** The migrations of this version, by their folders in prisma/migrations, and the errors of applying them. */
import { readdirSync } from 'node:fs';

/** Folder of the Prisma schema and its migrations. */
export const PRISMA_FOLDER = new URL('../../../prisma/', import.meta.url);

/** Limits of a migration's waits for locks on tables. */
export interface LockPatience {
  /** Longest wait for one lock. Other users of the table wait for the same time. Default 1,000 ms. */
  readonly lockMs: number;
  /** Maximum number of attempts for each migration, default 20. */
  readonly attempts: number;
  /** Pause between two attempts, default 3,000 ms. */
  readonly pauseMs: number;
}

/** A migration failed, was left half applied, or belongs to a newer version of the gateway. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** The server refused a migration and rolled it back. Only its record remains. */
export class UndoneError extends MigrationError {}

/** @returns the names of the migrations of this version, in the order in which they are applied. */
export function migrationNames(): string[] {
  return readdirSync(new URL('migrations/', PRISMA_FOLDER), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => entry.name)
    .sort();
}
