/** nginx as a process, with a configuration of a test. */
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A running nginx. */
export interface Nginx {
  /** @returns the upstream address of each answer so far, in order. */
  readonly upstreams: () => string[];
  /** Takes another configuration, as `nginx -s reload` does. */
  readonly reload: (http: string) => void;
  readonly stop: () => Promise<void>;
}

/** Starts it. @param http - content of the block `http`, without logs and folders. */
export function startNginx(http: string): Nginx {
  const folder = mkdtempSync(join(tmpdir(), 'crossramp-nginx-'));
  const [file, log] = [join(folder, 'nginx.conf'), join(folder, 'access.log')];
  const write = (text: string) =>
    writeFileSync(
      file,
      `pid ${folder}/pid;\ndaemon off;\nworker_processes 1;\nevents { worker_connections 4096; }\nhttp {
log_format upstream "$upstream_addr";\naccess_log ${log} upstream;
client_body_temp_path ${folder};\nproxy_temp_path ${folder};\n${text}}\n`,
    );
  write(http);
  writeFileSync(log, '');
  const child = spawn('nginx', ['-c', file, '-e', join(folder, 'error.log')], { stdio: 'ignore' });
  const ended = new Promise((resolve) => child.on('close', resolve));
  return {
    upstreams: () =>
      readFileSync(log, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    reload: (text) => {
      write(text);
      child.kill('SIGHUP');
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
