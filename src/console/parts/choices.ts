/** Values of enums of the schema that forms offer, with their names. */
import { PIX_KEY_TYPES, type PixKeyType } from '../../base/pix/pix-key.ts';
import type { Language } from '../../ui/language.ts';
import { pixKeyTypeWord } from '../../ui/pix-key-words.ts';

/** @returns the types of PIX keys. */
export function pixKeyTypeOptions(
  language: Language,
): readonly (readonly [value: Uppercase<PixKeyType>, word: string])[] {
  return PIX_KEY_TYPES.map((type) => [
    type.toUpperCase() as Uppercase<PixKeyType>,
    pixKeyTypeWord(type, language),
  ]);
}
