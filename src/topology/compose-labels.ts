/** Labels of docker compose. */
export const SERVICE_LABEL = 'com.docker.compose.service';
export const PROJECT_LABEL = 'com.docker.compose.project';
const ONE_OFF_LABEL = 'com.docker.compose.oneoff';
const NUMBER_LABEL = 'com.docker.compose.container-number';
/** podman-compose labels the project under a name of its own too, and some versions under that one only. */
const PODMAN_PROJECT_LABEL = 'io.podman.compose.project';
const PODMAN_SERVICE_LABEL = 'io.podman.compose.service';

/** What compose says of a container it made. */
export interface ComposeIdentity {
  readonly project: string;
  readonly service: string;
  /** 0 where no label says it. */
  readonly number: number;
  /** Made by `compose run`: no replica of its service. */
  readonly oneOff: boolean;
}

/** The project, service and number of a container, from its labels alone; null when compose did not make it. */
export function composeIdentityOf(labels: { readonly [key: string]: string }): ComposeIdentity | null {
  const service = labels[SERVICE_LABEL] ?? labels[PODMAN_SERVICE_LABEL];
  if (service === undefined) return null;
  const number = Number(labels[NUMBER_LABEL] ?? 0);
  return {
    service,
    project: labels[PROJECT_LABEL] ?? labels[PODMAN_PROJECT_LABEL] ?? '',
    number: Number.isInteger(number) ? number : 0,
    oneOff: labels[ONE_OFF_LABEL]?.toLowerCase() === 'true',
  };
}
