import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'many' | 'other'> = {
  starting: 'Un momento…',
  enterHeading: 'Activar {app}',
  enterLead: 'Pega la clave de licencia de tu correo de compra.',
  keyLabel: 'Clave de licencia',
  activate: 'Activar',
  activateOffline: 'Activar sin internet',
  checking: 'Comprobando…',
  working: 'Un momento…',
  keyFound: 'Clave encontrada.',
  useClipboard: 'Clave encontrada en el portapapeles.',
  fromLink: 'Esta clave viene del enlace que has abierto.',
  replacesLicense: 'Al activarla, sustituye tu licencia actual.',
  chooseKeyHeading: '¿Cuál es tu clave de licencia?',
  chooseKeyLead: 'El texto que has pegado contiene varias claves.',
  chooseKey: 'Elige la clave que quieres activar.',
  takingLong: 'Está tardando más de lo habitual.',
  stopWaiting: 'Dejar de esperar',

  activatedHeading: '{app} está activado',
  activatedLead: 'Todo listo, también sin conexión.',
  endsSoonLead: 'Tu licencia termina el {date}.',
  devicesInUse: 'Dispositivos en uso',
  usedOfLimit: '{used} de {limit}',
  validUntil: 'Válida hasta',
  updatesUntil: 'Actualizaciones hasta',
  noEndDate: 'Sin fecha de fin',
  continue: 'Continuar',

  deactivate: 'Desactivar este dispositivo',
  deactivateHeading: '¿Desactivar este dispositivo?',
  deactivateLead:
    'Esto libera una plaza para otro equipo.\nPara volver a usar {app} aquí, introduce tu clave de licencia.',
  deactivateNow: 'Desactivar',
  deactivated: 'Este dispositivo está desactivado y su plaza está libre.',
  seatKept:
    'Este dispositivo está desactivado, pero su plaza en el servicio de licencias anterior sigue ocupada.',
  cancel: 'Cancelar',

  noNetworkHeading: 'Sin conexión',
  noAnswerHeading: 'Aún no hay respuesta',
  noNetworkLead: 'No hemos podido contactar con el servicio de licencias.',
  nextTry: 'Nuevo intento en {time}',
  worksMeanwhile: 'Mientras tanto puedes seguir usando {app}.',
  keyIsKept: 'Tu clave está guardada y la activación continuará automáticamente.',
  tryNow: 'Intentar ahora',
  changeKey: 'Cambiar la clave',
  useOtherKey: 'Usar otra clave',

  noSeatHeading: 'No quedan plazas',
  noSeatLead: 'Libera un dispositivo para activar {app} en este.',
  seatsInUse: '{used} de {limit} plazas en uso',
  deviceList: 'Dispositivos que usan esta licencia',
  activatedOn: 'Activado el {date}',
  thisDevice: 'Este dispositivo',
  release: 'Liberar y activar aquí',
  chooseDevice: 'Elige el dispositivo que quieres liberar.',
  loadingDevices: 'Cargando los dispositivos…',
  devicesUnavailable: 'No se ha podido obtener la lista de dispositivos.',
  buySeats: 'Comprar más plazas',
  account: 'Cuenta de cliente',

  expiredHeading: 'Tu licencia ha caducado',
  expiredLead: 'Terminó el {date}.\nRenuévala para seguir usando {app}.',
  renew: 'Renovar la licencia',
  checkAgain: 'Comprobar de nuevo',
  notCoveredHeading: 'Esta versión no está incluida',
  notCoveredLead:
    'Tu licencia cubre las versiones publicadas hasta el {date}.\nRenuévala o vuelve a una versión anterior.',
  coveredVersion: 'Obtener una versión anterior',
  suspendedHeading: 'Tu licencia está suspendida',
  inactiveHeading: 'Tu licencia no está activa',
  contactSupport: 'Ponte en contacto con soporte.',
  reportedStatus: 'Estado comunicado',
  movedHeading: 'Este dispositivo se ha liberado',
  activateAgain: 'Volver a activar',

  graceHeading: 'Trabajando sin conexión',
  graceLead: {
    one: 'No hemos podido contactar con el servicio de licencias.\n{app} funcionará {count} día más.',
    many: 'No hemos podido contactar con el servicio de licencias.\n{app} funcionará {count} días más.',
    other: 'No hemos podido contactar con el servicio de licencias.\n{app} funcionará {count} días más.',
  },
  renewalLead: {
    one: 'Tu licencia ha terminado y no hemos podido comprobar si se renovó.\n{app} funcionará {count} día más.',
    many: 'Tu licencia ha terminado y no hemos podido comprobar si se renovó.\n{app} funcionará {count} días más.',
    other:
      'Tu licencia ha terminado y no hemos podido comprobar si se renovó.\n{app} funcionará {count} días más.',
  },
  graceOverHeading: 'Conéctate a Internet',
  graceOverLead:
    'Tu licencia lleva un tiempo sin comprobarse.\nConéctate y comprueba de nuevo.\nNo necesitarás tu clave.',

  trialHeading: {
    one: 'Te queda {count} día de prueba',
    many: 'Te quedan {count} días de prueba',
    other: 'Te quedan {count} días de prueba',
  },
  trialLead: 'Todo funciona hasta el {date}.',
  trialHint: '¿Tienes una clave de licencia? Pégala aquí cuando quieras.',
  continueTrial: 'Continuar la prueba',
  trialOverHeading: 'Tu prueba ha terminado',
  trialOverLead: 'Introduce una clave de licencia para seguir usando {app}.',

  storageHeading: 'Activa de nuevo',
  notSavedHeading: 'No se ha podido guardar la licencia',
  refusedHeading: 'La activación se ha rechazado',
  misconfiguredHeading: 'Las licencias no están bien configuradas',
  misconfiguredLead: 'No es culpa tuya.\nEnvía este código al desarrollador de {app}:',
  copyCode: 'Copiar datos',

  buy: 'Comprar una licencia',
  help: 'Ayuda',
  support: 'Obtener ayuda',
  copyDetails: 'Copiar datos para soporte',
  copied: 'Copiado',

  problems: {
    'empty-text': 'No has introducido nada. Pega la clave de licencia de tu correo de compra.',
    'no-license-key': 'Este texto no contiene ninguna clave de licencia. Cópiala de tu correo de compra.',
    'several-license-keys': 'Este texto contiene varias claves de licencia. Pega solo la que quieras usar.',
    'text-too-long': 'Este texto es demasiado largo para ser una clave. Pega solo la clave.',
    'license-not-found': 'No hemos encontrado esta clave de licencia. Comprueba que la has copiado entera.',
    'wrong-product':
      'Esta clave de licencia es de otro producto. Usa la clave de licencia que compraste para esta aplicación.',
    'license-expired': 'Esta licencia ha caducado. Renuévala para seguir usando la aplicación.',
    'license-suspended': 'Esta licencia está suspendida. Ponte en contacto con soporte.',
    'license-inactive': 'Esta licencia no está activa. Ponte en contacto con soporte.',
    'no-seat-left':
      'Esta licencia se usa en todos los dispositivos que permite. Libera uno para usarla aquí.',
    'activation-refused': 'La clave se ha rechazado. Puede que la licencia haya caducado o esté suspendida.',
    'activation-paused':
      'Esta activación se inició hace más de un día. Introduce de nuevo la clave de licencia para completarla.',
    'activation-unconfirmed':
      'La conexión se cortó antes de confirmar la activación. Inténtalo de nuevo para completarla.',
    'license-of-other-service':
      'Esta aplicación ha cambiado de servicio de licencias. Introduce tu nueva clave de licencia.',
    'seat-may-be-taken':
      'La conexión se cortó antes de confirmar la activación, así que quizá ya ocupa una plaza. Inténtalo de nuevo o libera antes este dispositivo en tu cuenta de cliente.',
    'test-license-key': 'Esta clave de licencia es solo para pruebas. Usa la clave del correo de tu compra.',
    'moved-to-another-device':
      'Tu licencia se habrá trasladado a otro dispositivo. Actívala de nuevo para usarla aquí.',
    unconfirmed:
      'El servicio de licencias dio una respuesta poco clara sobre este dispositivo. Se le volverá a preguntar.',
    'adoption-unavailable':
      'El servicio de licencias no mostró los dispositivos, así que no se pudo reutilizar una activación anterior de este.',
    'devices-not-listed':
      'El servicio de licencias no muestra los dispositivos en la aplicación. Libera un dispositivo en tu cuenta de cliente.',
    'device-not-found': 'Este dispositivo ya no está en la licencia. Actualiza la lista.',
    'deactivation-pending':
      'Este dispositivo está desactivado. Su plaza quedará libre en cuanto se pueda contactar con el servicio de licencias.',
    offline: 'No se puede contactar con el servicio de licencias. Comprueba la conexión a Internet.',
    timeout: 'El servicio de licencias no ha respondido a tiempo. Inténtalo dentro de un momento.',
    'service-error': 'El servicio de licencias tiene problemas en este momento. Inténtalo más tarde.',
    'rate-limited': 'Demasiadas solicitudes. Inténtalo más tarde.',
    'incomplete-answer':
      'La respuesta del servicio de licencias llegó incompleta. Inténtalo dentro de un momento.',
    'unexpected-answer':
      'Ha respondido algo que no es el servicio de licencias. Si estás en una red pública, inicia sesión en ella primero.',
    unauthorized:
      'El servicio de licencias no ha aceptado la petición de esta aplicación o de su red. Prueba otra red o contacta con soporte.',
    'untrusted-answer':
      'La respuesta no lleva una firma válida del servicio de licencias. Inténtalo más tarde.',
    'store-empty': 'El archivo de licencia estaba vacío y se ha apartado. Activa de nuevo.',
    'store-unreadable': 'El archivo de licencia estaba dañado y se ha apartado. Activa de nuevo.',
    'store-newer-version':
      'El archivo de licencia es de una versión más reciente de la aplicación. Actualízala o activa de nuevo.',
    'store-undecryptable':
      'El archivo de licencia ya no se puede descifrar en este sistema. Reinicia la aplicación y, si te lo pide, permite el acceso al llavero. Si no ayuda, activa de nuevo.',
    'store-edited': 'El archivo de licencia se modificó desde fuera y no es de fiar. Activa de nuevo.',
    'store-restored': 'El archivo de licencia estaba dañado; se usa su última copia correcta.',
    'store-not-writable':
      'No se ha podido guardar la licencia porque la carpeta de la aplicación no admite escritura. Revisa los permisos de la carpeta e inténtalo de nuevo.',
    'disk-full':
      'No se ha podido guardar la licencia porque el disco está lleno. Libera espacio e inténtalo de nuevo.',
    'record-of-another-device':
      'El archivo de licencia se copió de otro dispositivo. Activa la licencia aquí para usarla también en este.',
    'clock-behind': 'El reloj de este equipo no es correcto. Ajusta la fecha y la hora.',
    'trial-over': 'La prueba ha terminado. Introduce una clave de licencia para continuar.',
    busy: 'Hay otra operación de licencia en curso. Espera a que termine.',
    'not-activated': 'No hay ninguna licencia activada en este dispositivo.',
    misconfigured:
      'Las licencias no están bien configuradas en esta aplicación. Contacta con su desarrollador.',
    unexpected: 'Algo inesperado ha salido mal. Inténtalo de nuevo; si se repite, contacta con soporte.',
  },
}
