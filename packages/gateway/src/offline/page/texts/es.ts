import type { PageTexts } from '../page-texts.ts'

export const es: PageTexts = {
  title: 'Activar un equipo sin internet',
  lead: 'Abre la solicitud o el código de liberación que muestra la aplicación en ese equipo.',
  chooseFile: 'Elegir archivo',
  pasteLabel: 'O pega el texto',
  continue: 'Continuar',
  device: 'Equipo',
  license: 'Clave de licencia',
  app: 'Aplicación',
  confirm: '¿Activar este equipo?',
  activate: 'Activar',
  working: 'Un momento…',
  doneHeading: 'Lleva esta respuesta al equipo',
  doneLead:
    'En la aplicación, elige el archivo o pega el texto. La respuesta sirve una vez y solo en ese equipo.',
  validUntil: 'Válida hasta el {date}',
  saveFile: 'Guardar el archivo de respuesta',
  copy: 'Copiar el texto',
  copied: 'Copiado',
  answerText: 'Texto de la respuesta',
  answerCode: 'Respuesta como código QR',
  seatsHeading: 'Todas las plazas de esta licencia están en uso',
  seatsLead: 'Libera un dispositivo para activar este equipo.',
  release: 'Liberar {name}',
  startOver: 'Empezar de nuevo',
  releaseConfirm: '¿Liberar la plaza de este equipo?',
  deactivated: 'Desactivado',
  freeSeat: 'Liberar plaza',
  freedHeading: 'La plaza está libre',
  freedLead: 'Ya puedes activar otro equipo con esta licencia.',
  alreadyFreed: 'Esta plaza ya estaba libre. No queda nada por hacer.',
  problems: {
    noRequest:
      'Esto no es una solicitud de la aplicación. Elige el archivo o copia el texto que muestra la aplicación.',
    answer: 'Esta es la respuesta. Llévala al equipo y ábrela allí en la aplicación.',
    torn: 'Falta una parte de la solicitud. Cópiala entera o elige el archivo.',
    newer: 'La aplicación es más reciente que esta página. Contacta con quien la desarrolla.',
    releaseTorn: 'Falta una parte del código de liberación. Cópialo entero o elige el archivo.',
    releaseEdited:
      'El código de liberación cambió por el camino. Tráelo de nuevo. No se ha liberado ninguna plaza.',
    releaseUnknownKey:
      'Esta página no reconoce el código de liberación. Contacta con el soporte de la aplicación. No se ha liberado ninguna plaza.',
    unknown:
      'No hemos encontrado esta clave de licencia. Compruébala en la aplicación y crea una solicitud nueva.',
    wrongProduct: 'Esta clave de licencia es de otro producto. Introduce la correcta en la aplicación.',
    expired: 'Esta licencia ha caducado. Renuévala e inténtalo de nuevo.',
    notActive: 'Esta licencia no está activa. Contacta con el servicio de asistencia.',
    refused:
      'La activación se ha rechazado. Puede que no queden plazas o que la licencia no esté activa. Contacta con el servicio de asistencia.',
    unlisted: 'Esta licencia no se puede activar sin internet. Contacta con el servicio de asistencia.',
    tooMany: 'Demasiadas solicitudes. Inténtalo de nuevo dentro de un minuto.',
    unavailable: 'No hemos podido conectar con el servicio de licencias. Inténtalo de nuevo en un momento.',
  },
}
