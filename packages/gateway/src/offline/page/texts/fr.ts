import type { PageTexts } from '../page-texts.ts'

export const fr: PageTexts = {
  title: 'Activer un ordinateur sans Internet',
  lead: 'Ouvrez la demande ou le code de libération que l’application affiche sur cet ordinateur.',
  chooseFile: 'Choisir le fichier',
  pasteLabel: 'Ou collez le texte',
  continue: 'Continuer',
  device: 'Ordinateur',
  license: 'Clé de licence',
  app: 'Application',
  confirm: 'Activer cet ordinateur ?',
  activate: 'Activer',
  working: 'Un instant…',
  doneHeading: 'Apportez cette réponse à l’ordinateur',
  doneLead:
    'Dans l’application, choisissez le fichier ou collez le texte. La réponse sert une seule fois, sur cet ordinateur.',
  validUntil: 'Valable jusqu’au {date}',
  saveFile: 'Enregistrer le fichier de réponse',
  copy: 'Copier le texte',
  copied: 'Copié',
  answerText: 'Texte de la réponse',
  answerCode: 'Réponse sous forme de code QR',
  seatsHeading: 'Toutes les places de cette licence sont utilisées',
  seatsLead: 'Libérez un appareil pour activer cet ordinateur.',
  release: 'Libérer {name}',
  startOver: 'Recommencer',
  releaseConfirm: 'Libérer la place de cet ordinateur ?',
  deactivated: 'Désactivé',
  freeSeat: 'Libérer la place',
  freedHeading: 'La place est libre',
  freedLead: 'Vous pouvez maintenant activer un autre ordinateur avec cette licence.',
  alreadyFreed: 'Cette place était déjà libre. Il n’y a plus rien à faire.',
  problems: {
    noRequest:
      'Ceci n’est pas une demande de l’application. Choisissez le fichier ou copiez le texte que l’application affiche.',
    answer: 'Ceci est la réponse. Apportez-la à l’ordinateur et ouvrez-la dans l’application.',
    torn: 'Une partie de la demande manque. Copiez-la en entier ou choisissez le fichier.',
    newer: 'L’application est plus récente que cette page. Contactez son développeur.',
    releaseTorn: 'Une partie du code de libération manque. Copiez-le en entier ou choisissez le fichier.',
    releaseEdited:
      'Le code de libération a été modifié en chemin. Apportez-le à nouveau. Aucune place n’a été libérée.',
    releaseUnknownKey:
      'Cette page ne reconnaît pas le code de libération. Contactez l’assistance de l’application. Aucune place n’a été libérée.',
    unknown:
      'Nous n’avons pas trouvé cette clé de licence. Vérifiez-la dans l’application et créez une nouvelle demande.',
    wrongProduct: 'Cette clé de licence concerne un autre produit. Saisissez la bonne dans l’application.',
    expired: 'Cette licence a expiré. Renouvelez-la, puis réessayez.',
    notActive: 'Cette licence n’est pas active. Contactez l’assistance.',
    refused:
      'L’activation a été refusée. Il n’y a peut-être plus de place, ou la licence n’est pas active. Contactez l’assistance.',
    unlisted: 'Cette licence ne peut pas être activée sans internet. Contactez l’assistance.',
    tooMany: 'Trop de demandes. Réessayez dans une minute.',
    unavailable: 'Le service de licences est injoignable. Réessayez dans un instant.',
  },
}
