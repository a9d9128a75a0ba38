import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'many' | 'other'> = {
  starting: 'Un momento…',
  enterHeading: 'Activar {app}',
  enterLead: 'Pega la clave de licencia de tu correo de compra.',
  keyLabel: 'Clave de licencia',
  activate: 'Activar',
  checking: 'Comprobando…',
  working: 'Un momento…',
  keyFound: 'Clave encontrada: {key}',
  useClipboard: 'Activar con la clave copiada {key}',
  fromLink: 'Esta clave viene del enlace que has abierto.',
  takingLong: 'Está tardando más de lo habitual.',
  stopWaiting: 'Dejar de esperar',

  activatedHeading: '{app} está activado',
  activatedLead: 'Todo listo, con y sin conexión.',
  devicesInUse: 'Dispositivos en uso',
  usedOfLimit: '{used} de {limit}',
  validUntil: 'Válida hasta',
  noEndDate: 'Sin fecha de fin',
  continue: 'Continuar',

  deactivate: 'Desactivar este dispositivo',
  deactivateHeading: '¿Desactivar este dispositivo?',
  deactivateLead:
    'Su plaza queda libre para otro equipo. Para volver a usar {app} aquí, introduce de nuevo tu clave de licencia.',
  deactivated: 'Este dispositivo está desactivado y su plaza ha quedado libre.',
  cancel: 'Cancelar',

  noNetworkHeading: 'Sin conexión',
  noAnswerHeading: 'Aún no hay respuesta',
  nextTry: 'Próximo intento en {time}',
  worksMeanwhile: 'Mientras tanto puedes seguir usando {app}.',
  keyIsKept: 'Tu clave se queda aquí y la activación continuará sola.',
  tryNow: 'Intentar ahora',
  changeKey: 'Cambiar la clave',
  useOtherKey: 'Usar otra clave',

  noSeatHeading: 'No quedan plazas',
  noSeatLead:
    'Esta licencia se usa en todos los dispositivos que permite. Libera uno y este dispositivo ocupará su plaza.',
  deviceList: 'Dispositivos que usan esta licencia',
  activatedOn: 'Activado el {date}',
  thisDevice: 'Este dispositivo',
  release: 'Liberar y activar aquí',
  chooseDevice: 'Elige el dispositivo que quieres liberar.',
  loadingDevices: 'Cargando los dispositivos…',
  devicesUnavailable: 'No se ha podido obtener la lista de dispositivos.',
  buySeats: 'Comprar más plazas',

  expiredHeading: 'Tu licencia ha caducado',
  expiredLead: 'Terminó el {date}. Renuévala para seguir usando {app}.',
  renew: 'Renovar la licencia',
  checkAgain: 'Comprobar de nuevo',
  suspendedHeading: 'Tu licencia está suspendida',
  inactiveHeading: 'Tu licencia no está activa',
  reportedStatus: 'Estado comunicado',
  movedHeading: 'Este dispositivo se ha liberado',
  activateAgain: 'Volver a activar',

  graceHeading: 'Trabajando sin conexión',
  graceLead: {
    one: 'No se ha podido contactar con el servicio de licencias. {app} funcionará {count} día más.',
    many: 'No se ha podido contactar con el servicio de licencias. {app} funcionará {count} días más.',
    other: 'No se ha podido contactar con el servicio de licencias. {app} funcionará {count} días más.',
  },
  graceOverHeading: 'Conéctate una vez',
  graceOverLead:
    'Tu licencia lleva un tiempo sin comprobarse. Conéctate a Internet y comprueba de nuevo; no hay que escribir nada.',

  trialHeading: {
    one: 'Te queda {count} día de prueba',
    many: 'Te quedan {count} días de prueba',
    other: 'Te quedan {count} días de prueba',
  },
  trialLead: 'Todo funciona hasta el {date}. Puedes introducir una clave de licencia cuando quieras.',
  continueTrial: 'Continuar la prueba',
  trialOverHeading: 'Tu prueba ha terminado',
  trialOverLead: 'Introduce una clave de licencia para seguir usando {app}.',

  storageHeading: 'Activa de nuevo',
  notSavedHeading: 'No se ha podido guardar la licencia',
  refusedHeading: 'El servicio de licencias lo ha rechazado',
  misconfiguredHeading: 'Las licencias no están bien configuradas',
  misconfiguredLead: 'No es culpa tuya. Comunica este código al desarrollador de {app}:',

  buy: 'Comprar una licencia',
  support: 'Ayuda',
  copyDetails: 'Copiar datos para soporte',
  copied: 'Copiado',

  problems: {
    'empty-text': 'No has introducido nada. Pega la clave de licencia de tu correo de compra.',
    'no-license-key':
      'Este texto no contiene ninguna clave de licencia. Copia la clave de tu correo de compra y pégala de nuevo.',
    'several-license-keys':
      'Este texto contiene más de una clave de licencia. Pega solo la que quieras usar.',
    'text-too-long': 'Este texto es demasiado largo para ser una clave de licencia. Pega solo la clave.',
    'license-not-found': 'No se reconoce esta clave de licencia. Comprueba que la has copiado entera.',
    'license-expired': 'Esta licencia ha caducado. Renuévala para seguir usando la aplicación.',
    'license-suspended': 'Esta licencia está suspendida. Ponte en contacto con soporte.',
    'license-inactive': 'Esta licencia no está activa. Ponte en contacto con soporte.',
    'no-seat-left':
      'Esta licencia se usa en todos los dispositivos que permite. Libera uno para usarla aquí.',
    'activation-refused':
      'El servicio de licencias ha rechazado la activación. Inténtalo de nuevo o contacta con soporte.',
    'activation-unconfirmed':
      'La conexión se cortó antes de confirmar la activación. Se completará en la próxima conexión.',
    'moved-to-another-device':
      'Este dispositivo se quitó de la licencia, probablemente para usarla en otro. Actívala de nuevo para usarla aquí.',
    unconfirmed:
      'El servicio de licencias dio una respuesta poco clara sobre este dispositivo. Se le volverá a preguntar.',
    'adoption-unavailable':
      'El servicio de licencias no mostró los dispositivos, así que no se pudo reutilizar una activación anterior de este.',
    'device-not-found': 'Este dispositivo ya no está en la licencia. Actualiza la lista.',
    'deactivation-pending':
      'Este dispositivo está desactivado. Su plaza quedará libre en cuanto se pueda contactar con el servicio de licencias.',
    offline: 'No se puede contactar con el servicio de licencias. Comprueba la conexión a Internet.',
    timeout: 'El servicio de licencias no ha respondido a tiempo. Inténtalo dentro de un momento.',
    'service-error': 'El servicio de licencias tiene problemas en este momento. Inténtalo más tarde.',
    'rate-limited': 'El servicio de licencias pide esperar antes del próximo intento.',
    'incomplete-answer':
      'La respuesta del servicio de licencias llegó incompleta. Inténtalo dentro de un momento.',
    'unexpected-answer':
      'Ha respondido algo que no es el servicio de licencias. Si estás en una red pública, inicia sesión en ella primero.',
    unauthorized:
      'El servicio de licencias no ha aceptado la petición de esta aplicación o de su red. Prueba otra red o contacta con soporte.',
    'untrusted-answer':
      'La respuesta no lleva una firma válida del servicio de licencias. Inténtalo más tarde.',
    'store-empty':
      'El archivo de licencia estaba vacío y se ha apartado. Activa de nuevo; este dispositivo conserva su plaza.',
    'store-unreadable':
      'El archivo de licencia estaba dañado y se ha apartado. Activa de nuevo; este dispositivo conserva su plaza.',
    'store-newer-version':
      'El archivo de licencia es de una versión más reciente de la aplicación. Actualízala o activa de nuevo.',
    'store-undecryptable':
      'El archivo de licencia ya no se puede descifrar en este sistema. Activa de nuevo; este dispositivo conserva su plaza.',
    'store-edited': 'El archivo de licencia se modificó desde fuera y no es de fiar. Activa de nuevo.',
    'store-restored': 'El archivo de licencia estaba dañado; se usa su última copia correcta.',
    'store-not-writable':
      'No se ha podido guardar la licencia porque la carpeta de la aplicación no admite escritura. Vale hasta que cierres; revisa los permisos de la carpeta.',
    'disk-full':
      'No se ha podido guardar la licencia porque el disco está lleno. Libera espacio e inténtalo de nuevo.',
    'record-of-another-device':
      'El archivo de licencia se copió de otro dispositivo. Activa la licencia aquí para usarla también en este.',
    'clock-behind': 'El reloj de este equipo va atrasado. Ajusta bien la fecha y la hora.',
    'trial-over': 'La prueba ha terminado. Introduce una clave de licencia para continuar.',
    busy: 'Hay otra operación de licencia en curso. Espera a que termine.',
    'not-activated': 'No hay ninguna licencia activada en este dispositivo.',
    misconfigured:
      'Las licencias no están bien configuradas en esta aplicación. Contacta con su desarrollador.',
    unexpected: 'Algo inesperado ha salido mal. Inténtalo de nuevo; si se repite, contacta con soporte.',
  },
}
