/** A provider between a rail and its node that can lie, lag or be dead. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Changes what a provider answers: gets what the node said, and how to ask the node something else. */
export type Twist = (
  call: { readonly method: string; readonly params: readonly unknown[] },
  result: unknown,
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
) => unknown;

/** The provider. */
export interface RpcProxy {
  readonly url: string;
  /** From now on; undefined: it is honest again. */
  twist: Twist | undefined;
  isDead: boolean;
  /** What goes wrong with a call: no answer, without that the node was asked, or although it did what it was asked. */
  fault: (() => 'before' | 'after' | undefined) | undefined;
  /** What it was asked, by method. */
  readonly asked: Map<string, number>;
  readonly stop: () => Promise<void>;
}

/** @returns a provider that passes on what the node says, until it is told otherwise. */
export async function startRpcProxy(node: string): Promise<RpcProxy> {
  const ask = async (method: string, params: readonly unknown[]) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const response = await fetch(node, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    return (await response.json()) as { result?: unknown; error?: unknown };
  };
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    const fault = proxy.fault?.();
    if (proxy.isDead || fault === 'before') return request.socket.destroy();
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    proxy.asked.set(method, (proxy.asked.get(method) ?? 0) + 1);
    const answer = await ask(method, params);
    if (fault === 'after') return request.socket.destroy();
    const other = async (name: string, given: readonly unknown[]) => (await ask(name, given)).result;
    const result = proxy.twist ? await proxy.twist({ method, params }, answer.result, other) : answer.result;
    const said = answer.error === undefined ? { result } : { error: answer.error };
    response
      .setHeader('content-type', 'application/json')
      .end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  };
  // A node that is away answers nothing.
  const server = createServer((request, response) => {
    serve(request, response).catch(() => request.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: RpcProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    twist: undefined,
    isDead: false,
    fault: undefined,
    asked: new Map(),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}
