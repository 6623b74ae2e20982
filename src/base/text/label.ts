/** A text shown to people, in both languages of the service (`service.md` 2.1). */
export interface Label {
  readonly en: string;
  readonly pt: string;
}

/** @returns a label of an English and a Portuguese text. Labels never change, so their JSON can be cached. */
export function label(en: string, pt: string): Label {
  return Object.freeze({ en, pt });
}

/** The empty label: both texts are empty, as in `error_message` without an error. */
export const EMPTY_LABEL: Label = label('', '');
