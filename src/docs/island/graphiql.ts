/** Starts GraphiQL: at once for somebody who is signed in, with the key of the form for others. Nothing of a key is stored. */

interface Options {
  readonly isSignedIn: boolean;
  readonly graphiql: Record<string, unknown>;
}

declare const YogaGraphiQL: { renderYogaGraphiQL(root: Element, options: Record<string, unknown>): void };

const root = document.getElementById('root') as HTMLElement;
const optionsElement = document.getElementById('options') as HTMLScriptElement;
const { isSignedIn, graphiql } = JSON.parse(optionsElement.text) as Options;
const form = document.getElementById('key-form') as HTMLFormElement | null;

const workers: Readonly<Record<string, string | undefined>> = {
  editorWorkerService: optionsElement.dataset.editorWorker,
  json: optionsElement.dataset.jsonWorker,
  graphql: optionsElement.dataset.graphqlWorker,
};
(self as unknown as { MonacoEnvironment: object }).MonacoEnvironment = {
  globalAPI: false,
  getWorkerUrl: (_id: string, label: string) => workers[label],
};

/** GraphiQL keeps its tabs in the browser, and adds an empty one to them unless it is told which of them was open. */
function openTab(): Record<string, string> {
  try {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState') ?? '{}');
    const { query, variables } = tabs[activeTabIndex];
    return { ...(query && { query }), ...(variables && { variables }) };
  } catch {
    return {};
  }
}

function show(key: string): void {
  document.getElementById('welcome')?.remove();
  const headers = key === '' ? {} : { headers: JSON.stringify({ Authorization: `Bearer ${key}` }) };
  YogaGraphiQL.renderYogaGraphiQL(root, { ...graphiql, ...openTab(), ...headers });
}

if (isSignedIn) show('');
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  show(String(new FormData(form).get('key') ?? '').trim());
});
