/** Label: a text in both languages. */
import type { Label } from '../base/text/label.ts';
import type { Builder } from './builder.ts';

/** Defines `Label`. */
export function defineLabel(builder: Builder) {
  return builder.objectRef<Label>('Label').implement({
    description: 'A text shown to people, in both languages.',
    fields: (t) => ({
      en: t.exposeString('en', { description: 'The text in English.' }),
      pt: t.exposeString('pt', { description: 'The text in Brazilian Portuguese.' }),
    }),
  });
}

/** The type `Label`. */
export type LabelRef = ReturnType<typeof defineLabel>;
