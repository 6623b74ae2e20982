/** Zones of calendar days: the enum `CalendarZone`. */
import { BRASILIA, type Zone } from '../base/time/zone.ts';
import type { Builder } from './builder.ts';

/** Defines `CalendarZone`. */
export function defineCalendarZone(builder: Builder) {
  return builder.enumType('CalendarZone', {
    description: 'Zone of calendar days.',
    values: {
      UTC: { value: 'UTC' satisfies Zone, description: 'Universal time.' },
      BRASILIA: { value: BRASILIA, description: 'Brasília time, `America/Sao_Paulo`.' },
    },
  });
}

/** The enum `CalendarZone`. */
export type CalendarZoneRef = ReturnType<typeof defineCalendarZone>;
