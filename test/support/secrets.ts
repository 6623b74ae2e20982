/** The key file that the gateways of all tests share. */
import { secretsOf } from '../../src/compose/secret-keys.ts';

/** Seals and opens with the key of the test run. */
export const TEST_SECRETS = secretsOf(process.env.SECRETS_KEY_FILE as string);
