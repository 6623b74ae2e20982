/** Values of an enum from a table of their descriptions. */

/** @returns the values in capitals, each with its description and its name in the code. */
export function describedValues<Name extends string>(descriptions: Readonly<Record<Name, string>>) {
  return Object.fromEntries(
    Object.entries<string>(descriptions).map(([value, description]) => [
      value.toUpperCase(),
      { value: value as Name, description },
    ]),
  ) as Record<string, { value: Name; description: string }>;
}
