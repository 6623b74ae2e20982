/** Template: the names of the processes. */
import type { Registry } from '../templates/registry.ts';
import type { Builder } from './builder.ts';

/** Defines `Template`. */
export function defineTemplate(builder: Builder, registry: Registry) {
  return builder.enumType('Template', {
    description: 'The process templates, by their published names.',
    values: Object.fromEntries(
      registry.templates.map(({ name, product }) => [name, { value: name, description: product }]),
    ),
  });
}

/** The type `Template`. */
export type TemplateRef = ReturnType<typeof defineTemplate>;
