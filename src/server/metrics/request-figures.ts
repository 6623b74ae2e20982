/** Requests by route, method and outcome, with their durations. Labels are route templates: a path with ids is never one. */
import { Counter, Histogram, type Registry } from 'prom-client';
import { CLIENT_LEFT, type Exchange } from '../http/http.ts';

/** Records an answered request. @param seconds - duration until the end of its answer. */
export type NoteRequest = (exchange: Exchange, status: number, seconds: number) => void;

/** Upper bounds of the latency histogram. Unit: seconds. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
/** Maximum number of routes. The code names the routes, so only a mistake reaches this limit. */
const ROUTES_MAX = 300;
const OTHER = 'other';

/** Adds the figures of requests to a registry. */
export function requestFigures(registry: Registry): NoteRequest {
  const registers = [registry];
  const count = new Counter({
    name: 'crossramp_http_requests_total',
    help: 'Requests that have ended, by route, method and class of the answer; left: the client went before it.',
    labelNames: ['route', 'method', 'outcome'],
    registers,
  });
  const duration = new Histogram({
    name: 'crossramp_http_request_duration_seconds',
    help: 'Time from a request to the end of its answer, without event streams.',
    labelNames: ['route', 'method'],
    buckets: BUCKETS,
    registers,
  });
  const routes = new Set<string>();
  const routeOf = (route: string): string => {
    if (routes.has(route)) return route;
    if (routes.size === ROUTES_MAX) return OTHER;
    routes.add(route);
    return route;
  };
  return ({ route: matched, request, noted }, status, seconds) => {
    const route = routeOf(matched);
    const method = METHODS.includes(request.method ?? '') ? (request.method as string) : OTHER;
    const outcome = status === CLIENT_LEFT ? 'left' : `${Math.floor(status / 100)}xx`;
    count.inc({ route, method, outcome });
    if (!noted.isStream) duration.observe({ route, method }, seconds);
  };
}
