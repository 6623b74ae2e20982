/** The request of a webhook as sent, and the command that repeats it. */

/** Parts of a request; the signature is not stored. */
export interface WebhookRequestParts {
  readonly url: string;
  readonly webhookId: string;
  readonly eventName: string;
  /** Position of the event in the transaction. */
  readonly sequence: number;
  readonly attempt: number;
  readonly isTest: boolean;
  readonly body: string;
}

/** @returns the header fields that describe the event, in the order in which they are documented. */
export function headersOf(parts: WebhookRequestParts): readonly (readonly [name: string, value: string])[] {
  return [
    ['webhook-id', parts.webhookId],
    ['crossramp-event', parts.eventName],
    ['crossramp-sequence', String(parts.sequence)],
    ['crossramp-attempt', String(parts.attempt)],
    ...(parts.isTest ? [['crossramp-test', 'true'] as const] : []),
  ];
}

/**
 * @returns a POSIX shell command that sends the request again, signed when it runs: the original signature expires five
 * minutes after the attempt. The secret is the value of WEBHOOK_SECRET, not a part of the command.
 */
export function curlOf(parts: WebhookRequestParts): string {
  const fields = headersOf(parts).map(([name, value]) => `  -H ${quotedForShell(`${name}: ${value}`)} \\`);
  return `: "\${WEBHOOK_SECRET:?}"
body=${quotedForShell(parts.body)}
at=$(date +%s)
key=$(printf %s "\${WEBHOOK_SECRET#whsec_}" | openssl base64 -d -A | od -An -v -tx1 | tr -d ' \\n')
signature=$(printf %s "${parts.webhookId}.$at.$body" | openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | openssl base64 -A)
curl -i ${quotedForShell(parts.url)} \\
  -H 'content-type: application/json' \\
${fields.join('\n')}
  -H "webhook-timestamp: $at" \\
  -H "webhook-signature: v1,$signature" \\
  --data-binary "$body"
`;
}

function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
