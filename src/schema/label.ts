/** Label: a text in both languages. */
import type { Label } from '../base/label.ts';
import type { Builder } from './builder.ts';

/** Defines `Label`. */
export function defineLabel(builder: Builder) {
  return builder.objectRef<Label>('Label').implement({
    description: 'A text shown to people, in both languages.',
    fields: (t) => ({ en: t.exposeString('en'), pt: t.exposeString('pt') }),
  });
}

/** The type `Label`. */
export type LabelRef = ReturnType<typeof defineLabel>;
