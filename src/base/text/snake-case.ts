/** Names of members in the notation of `/v2` and the database. */

/** @returns `end_to_end` of `endToEnd`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
