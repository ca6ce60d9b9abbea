import { basename } from 'node:path';

/** A project name as docker compose makes it of any text: lower case, only letters, digits, `-` and `_`, beginning with a letter or digit. */
export function normaliseProjectName(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '')
    .replace(/^[_-]+/, '');
}

/**
 * The name docker compose gives the project, which its labels carry: COMPOSE_PROJECT_NAME, else the file's `name`, else the folder's
 * name (docs.docker.com/compose/how-tos/project-name). Empty when the folder's name has no usable character.
 */
export function projectNameOf(options: {
  readonly fromEnvironment: string | undefined;
  readonly fromFile: string | null;
  readonly folder: string;
}): string {
  if (options.fromEnvironment !== undefined && options.fromEnvironment !== '') return options.fromEnvironment;
  return options.fromFile ?? normaliseProjectName(basename(options.folder));
}
