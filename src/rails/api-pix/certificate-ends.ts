/** When the certificates of the rail end, for the metrics. */
import type { RailCertificate } from '../../resolvers/services/rail-part.ts';
import { certificatesIn } from './certificates.ts';
import type { ApiPixSettings } from './settings.ts';

/** @returns each certificate by its name in `doctor`; a file with several counts by the one that ends first. */
export function certificateEnds({ certificate, callback }: ApiPixSettings): readonly RailCertificate[] {
  const files = [
    ['certificate', certificate],
    ['callback certificate', callback?.listen?.certificate],
    ['callers’ authority', callback?.clientCa],
  ] as const;
  return files.flatMap(([name, pem]) => {
    const ends = pem ? endsIn(pem) : [];
    return ends.length > 0 ? [{ name, endsAtMs: Math.min(...ends) }] : [];
  });
}

/** `doctor` names a file that cannot be read. */
function endsIn(pem: string): readonly number[] {
  try {
    return certificatesIn(pem).map(({ validToDate }) => validToDate.getTime());
  } catch {
    return [];
  }
}
