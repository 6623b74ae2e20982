/** Describes an error of the operating system, such as a port in use or an inaccessible file. */

/** Missing permissions, and a disk that cannot be written. */
const NOT_ALLOWED = ['EACCES', 'EPERM', 'EROFS'];

/**
 * @param portHint - advice on choosing another port.
 * @returns one line; for any other error, its stack.
 */
export function describeSystemError(error: Error, portHint: string): string {
  const { code, address, port, path } = error as NodeJS.ErrnoException & { address?: string; port?: number };
  if (code === 'EADDRINUSE')
    return `port ${port} of ${address} is in use: stop what listens there, or ${portHint}`;
  if (code === 'EACCES' && port) return `not allowed to listen on port ${port}: ${portHint}, above 1023`;
  if (code === 'EADDRNOTAVAIL') return `this machine has no address ${address}`;
  if (code !== undefined && path !== undefined && NOT_ALLOWED.includes(code))
    return `not allowed: ${error.message}`;
  if (code === 'ENOTDIR') return `${path} is below a file, not in a folder`;
  if (code === 'ENOENT') return `no such file: ${path}`;
  if (code === 'EISDIR') return `${path ?? 'the path'} is a folder, not a file`;
  return error.stack ?? error.message;
}
