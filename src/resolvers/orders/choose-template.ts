/** The template that a transaction is created by. */
import { invalidParameters } from '../../base/errors.ts';
import type { Template } from '../../templates/define.ts';
import type { Registry, TemplateUse } from '../../templates/registry.ts';
import type { Named } from '../checks/check-filter.ts';

/**
 * @param named - the template that the caller names; the registry's choice when not given.
 * @param currencyName - the caller's name for the currency.
 * @throws {GatewayError} `INVALID_PARAMETER` when the template is not for this, or none is.
 */
export function chooseTemplate(
  registry: Registry,
  use: TemplateUse,
  named: Named | undefined,
  currencyName: string,
): Template {
  const fitting = registry.choose(use);
  const template = named ? fitting.find(({ name }) => name === named.value) : fitting[0];
  if (template) return template;
  const [parameter, what] = named ? [named.name, 'order'] : [currencyName, 'currency'];
  const names = fitting.map(({ name }) => name);
  const message =
    names.length > 0
      ? `must be one of ${names.join(', ')} for this ${what}`
      : 'no template takes this currency';
  throw invalidParameters([{ parameter, message }]);
}
