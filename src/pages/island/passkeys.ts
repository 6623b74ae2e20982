/**
 * Passkeys with script: a button with `data-passkey` requests a challenge from the gateway and an answer from the browser,
 * and continues. One file without imports.
 */
export {};

/** Kind of the request: `add`, `confirm` or `sign-in`. */
type Kind = string;

const output = document.getElementById('say');

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-passkey]')) {
  if (!('credentials' in navigator) || !('parseRequestOptionsFromJSON' in PublicKeyCredential)) break;
  button.hidden = false;
  button.onclick = () => {
    button.disabled = true;
    go(button.dataset.passkey ?? '', button).catch(() => {
      button.disabled = false;
      // A person who closes the browser's window and a person with an unknown passkey see the same message.
      if (output) output.textContent = button.dataset.failed ?? '';
    });
  };
}

async function go(kind: Kind, button: HTMLButtonElement): Promise<void> {
  const options = await post(`${kind}/options`, {});
  const answer = await navigator.credentials[kind === 'add' ? 'create' : 'get']({
    publicKey: (kind === 'add'
      ? PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
      : PublicKeyCredential.parseRequestOptionsFromJSON(
          options as PublicKeyCredentialRequestOptionsJSON,
        )) as never,
  });
  const name = document.querySelector<HTMLInputElement>('[data-passkey-name]')?.value;
  await post(kind, { response: (answer as PublicKeyCredential).toJSON(), name });
  const held = document.querySelector<HTMLFormElement>('form[data-held]');
  if (held) held.submit();
  else location.assign(button.dataset.next ?? '');
}

async function post(path: string, body: unknown): Promise<unknown> {
  const answer = await fetch(`/console/passkeys/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}
