/**
 * The page of the signer in the browser: requests a challenge from the signer and sends back the passkey's answer. The
 * script is one file without imports.
 */
export {};

type Facts = Readonly<Record<string, string>>;

const part = (id: string) => document.getElementById(id) as HTMLElement;
// The link names account, network, address and entry. The person enters the address again; the link's address is only
// compared with it.
const link = new URLSearchParams(location.search);

document.documentElement.lang = navigator.language.startsWith('pt') ? 'pt-BR' : 'en';
const name = location.pathname.slice(1);
show(name, { account: link.get('account') ?? '', network: link.get('network') ?? '' });

for (const button of document.querySelectorAll<HTMLButtonElement>('[data-do]'))
  button.onclick = () => {
    button.disabled = true;
    for (const id of ['failed', 'differs']) part(id).hidden = true;
    (button.dataset.do === 'enrol' ? enrol() : prove())
      .catch((error: unknown) => {
        part('why').textContent = error instanceof Error ? error.message : String(error);
        part('failed').hidden = false;
      })
      .finally(() => {
        button.disabled = false;
      });
  };

async function enrol(): Promise<void> {
  const code = location.hash.slice(1);
  const options = await post('/enrol/options', { code });
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as unknown as PublicKeyCredentialCreationOptionsJSON,
  );
  const made = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const facts = await post('/enrol', { code, response: made.toJSON() });
  show('enrolled', facts as Facts);
}

async function prove(): Promise<void> {
  const address = (part('address') as HTMLInputElement).value;
  const destination = { account: link.get('account') ?? '', network: link.get('network') ?? '', address };
  const { publicKey: options, ...request } = await post('/prove/options', destination);
  const linked = link.get('address');
  if (linked !== null && linked !== request.address) {
    part('differs').hidden = false;
    return;
  }
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(
    options as PublicKeyCredentialRequestOptionsJSON,
  );
  const answer = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
  const proof = await post('/prove', { ...request, response: answer.toJSON() });
  show('proven', { ...(request as unknown as Facts), ...(proof as Facts) });
  offerReturn(proof as Facts);
}

/** The console stores the proof with the entry that it sent the person here for. */
function offerReturn({ console: origin, id, expiresAt }: Facts): void {
  const entry = link.get('entry');
  if (!origin || !id || !expiresAt || entry === null) return;
  const back = part('back') as HTMLAnchorElement;
  const query = new URLSearchParams({ entry, proof: id, until: expiresAt });
  back.href = `${origin}/console/whitelist?${query}`;
  back.hidden = false;
}

/** Shows one section with its facts, and no other one. */
function show(id: string, facts: Facts): void {
  for (const section of document.querySelectorAll('section')) {
    section.hidden = section.id !== id;
    for (const destination of section.querySelectorAll<HTMLElement>('[data-fact]'))
      destination.textContent = facts[destination.dataset.fact ?? ''] ?? '';
  }
}

async function post(path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const answer = await fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const { detail, ...rest } = await answer.json();
  if (!answer.ok) throw new Error(detail ?? String(answer.status));
  return rest;
}
