/** Looks up templates. All layers above use a registry, never a template by name. */
import { assert } from '../base/errors/assert.ts';
import { EMPTY_LABEL } from '../base/text/label.ts';
import type { Family, Step, Template } from './define.ts';

/** Purpose of a new transaction; templates declare whether they serve it. */
export interface TemplateUse {
  readonly family: Family;
  readonly crypto: Template['crypto'];
  /** Raw code. */
  readonly currency: string;
}

/** A set of templates. */
export interface Registry {
  readonly templates: readonly Template[];
  /** @returns the template of a wire name, or undefined. */
  readonly find: (name: string) => Template | undefined;
  /** @returns the template of a transaction: its name was found in this registry when it was made or imported. */
  readonly of: (name: string) => Template;
  /** @returns the templates that a REST family serves. */
  readonly ofFamily: (family: Family) => readonly Template[];
  /** @returns the templates that can create such a transaction, the default one first. */
  readonly choose: (use: TemplateUse) => readonly Template[];
  /** @returns the step of a template; a step that only imported history has gets empty labels. */
  readonly stepOf: (template: string, component: string, state: string) => Step;
}

/** @returns a registry of these templates. */
export function registryOf(templates: readonly Template[]): Registry {
  const byName = new Map(templates.map((template) => [template.name, template]));
  const steps = new Map(templates.map((template) => [template.name, stepsByName(template)]));
  return {
    templates,
    find: (name) => byName.get(name),
    of: (name) => {
      const template = byName.get(name);
      assert(template, `template ${name} is in the registry`);
      return template;
    },
    ofFamily: (family) => templates.filter((template) => template.family === family),
    choose: ({ family, crypto, currency }) => {
      const fitting = templates.filter(
        (each) =>
          each.family === family &&
          each.crypto === crypto &&
          (each.currencies === undefined || each.currencies.includes(currency)),
      );
      // A template for certain currencies precedes one for all currencies.
      return fitting.toSorted((left, right) => Number(!left.currencies) - Number(!right.currencies));
    },
    stepOf: (template, component, state) =>
      steps.get(template)?.get(component)?.get(state) ?? unknownStep(component, state),
  };
}

/** The steps by component and state, so that looking up the label of a row concatenates no text. */
function stepsByName({ steps }: Template): Map<string, Map<string, Step>> {
  const byComponent = new Map<string, Map<string, Step>>();
  for (const step of steps) {
    const byState = byComponent.get(step.component) ?? new Map<string, Step>();
    byComponent.set(step.component, byState.set(step.state, step));
  }
  return byComponent;
}

function unknownStep(component: string, state: string): Step {
  const labels = {
    status: EMPTY_LABEL,
    substatus: EMPTY_LABEL,
    message: EMPTY_LABEL,
    errorMessage: EMPTY_LABEL,
  };
  return { component, state, ...labels, statusCode: 'UNKNOWN', ending: 'final' };
}
