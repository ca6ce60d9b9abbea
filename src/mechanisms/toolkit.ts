import { fileURLToPath } from 'node:url';

/** The path of a file of the toolkit. It lies beside the sources, the compiled files and the packed program alike. */
export function toolkitFile(name: 'stressor'): string {
  return fileURLToPath(new URL(`../../toolkit/${name}`, import.meta.url));
}
