/** Marks of the merchants' contract, at the declared elements themselves: fields, arguments, members of inputs, values of enums. */

interface Marked {
  readonly description?: string | null | undefined;
  readonly extensions?: Readonly<Record<string, unknown>> | null | undefined;
}

/** Marks an element that only the platform can use: the merchants' contract lacks it. */
export const PLATFORM_ONLY = { extensions: { isPlatformOnly: true } } as const;

/** Addition to descriptions of lists whose records the platform sees of all accounts. */
export const FOR_ALL = 'With the scope `platform:risk`, those of all accounts of your mode.';

/** @returns the description of an element, with an addition that merchants do not get. */
export function describedWith(description: string, addition: string) {
  return { description: `${description} ${addition}`, extensions: { forMerchants: description } } as const;
}

/** @returns whether the merchants' contract lacks the element. */
export function isPlatformOnly({ extensions }: Marked): boolean {
  return extensions?.isPlatformOnly === true;
}

/** @returns the description of an element in the merchants' contract. */
export function descriptionForMerchants({ description, extensions }: Marked): string | null | undefined {
  return typeof extensions?.forMerchants === 'string' ? extensions.forMerchants : description;
}
