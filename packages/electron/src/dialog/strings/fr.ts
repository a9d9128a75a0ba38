import type { ActivationStrings } from './activation-strings.ts'

export const strings: ActivationStrings<'one' | 'many' | 'other'> = {
  starting: 'Un instant…',
  enterHeading: 'Activer {app}',
  enterLead: 'Collez la clé de licence reçue dans votre e-mail d’achat.',
  keyLabel: 'Clé de licence',
  activate: 'Activer',
  activateOffline: 'Activer sans Internet',
  checking: 'Vérification…',
  working: 'Un instant…',
  keyFound: 'Clé trouvée.',
  useClipboard: 'Clé trouvée dans le presse-papiers.',
  fromLink: 'Cette clé vient du lien que vous avez ouvert.',
  replacesLicense: 'L’activer remplace votre licence actuelle.',
  chooseKeyHeading: 'Quelle est votre clé de licence ?',
  chooseKeyLead: 'Le texte collé contient plusieurs clés.',
  chooseKey: 'Choisissez la clé à activer.',
  takingLong: 'Cela prend plus de temps que d’habitude.',
  stopWaiting: 'Ne plus attendre',

  activatedHeading: '{app} est activé',
  activatedLead: 'Tout est prêt, même hors ligne.',
  endsSoonLead: 'Votre licence prend fin le {date}.',
  devicesInUse: 'Appareils utilisés',
  usedOfLimit: '{used} sur {limit}',
  validUntil: 'Valable jusqu’au',
  updatesUntil: 'Mises à jour jusqu’au',
  noEndDate: 'Sans date de fin',
  continue: 'Continuer',

  deactivate: 'Désactiver cet appareil',
  deactivateHeading: 'Désactiver cet appareil ?',
  deactivateLead:
    'Cela libère une place pour un autre ordinateur.\nPour réutiliser {app} ici, saisissez votre clé de licence.',
  deactivateNow: 'Désactiver',
  deactivated: 'Cet appareil est désactivé et sa place est libre.',
  seatKept:
    'Cet appareil est désactivé, mais sa place dans le service de licences précédent est toujours occupée.',
  cancel: 'Annuler',

  noNetworkHeading: 'Pas de connexion',
  noAnswerHeading: 'Pas encore de réponse',
  noNetworkLead: 'Le service de licences est injoignable.',
  nextTry: 'Nouvel essai dans {time}',
  worksMeanwhile: 'En attendant, vous pouvez continuer à utiliser {app}.',
  keyIsKept: 'Votre clé est enregistrée et l’activation reprendra automatiquement.',
  tryNow: 'Réessayer maintenant',
  changeKey: 'Modifier la clé',
  useOtherKey: 'Utiliser une autre clé',

  noSeatHeading: 'Plus aucune place',
  noSeatLead: 'Libérez un appareil pour activer {app} sur celui-ci.',
  seatsInUse: '{used} places sur {limit} utilisées',
  deviceList: 'Appareils utilisant cette licence',
  activatedOn: 'Activé le {date}',
  thisDevice: 'Cet appareil',
  release: 'Libérer et activer ici',
  chooseDevice: 'Choisissez l’appareil à libérer.',
  loadingDevices: 'Chargement des appareils…',
  devicesUnavailable: 'La liste des appareils n’a pas pu être obtenue.',
  buySeats: 'Acheter des places',
  account: 'Compte client',

  expiredHeading: 'Votre licence a expiré',
  expiredLead: 'Elle a pris fin le {date}.\nRenouvelez-la pour continuer à utiliser {app}.',
  renew: 'Renouveler la licence',
  checkAgain: 'Vérifier à nouveau',
  notCoveredHeading: 'Cette version n’est pas incluse',
  notCoveredLead:
    'Votre licence couvre les versions parues jusqu’au {date}.\nRenouvelez-la ou revenez à une version antérieure.',
  coveredVersion: 'Obtenir une version antérieure',
  suspendedHeading: 'Votre licence est suspendue',
  inactiveHeading: 'Votre licence n’est pas active',
  contactSupport: 'Contactez l’assistance.',
  reportedStatus: 'Statut signalé',
  movedHeading: 'Cet appareil a été libéré',
  activateAgain: 'Activer à nouveau',

  graceHeading: 'Mode hors ligne',
  graceLead: {
    one: 'Le service de licences est injoignable.\n{app} fonctionne encore {count} jour.',
    many: 'Le service de licences est injoignable.\n{app} fonctionne encore {count} jours.',
    other: 'Le service de licences est injoignable.\n{app} fonctionne encore {count} jours.',
  },
  renewalLead: {
    one: 'Votre licence a pris fin et son renouvellement n’a pas pu être vérifié.\n{app} fonctionne encore {count} jour.',
    many: 'Votre licence a pris fin et son renouvellement n’a pas pu être vérifié.\n{app} fonctionne encore {count} jours.',
    other:
      'Votre licence a pris fin et son renouvellement n’a pas pu être vérifié.\n{app} fonctionne encore {count} jours.',
  },
  graceOverHeading: 'Connectez-vous à Internet',
  graceOverLead:
    'Votre licence n’a pas été vérifiée depuis un moment.\nConnectez-vous et vérifiez à nouveau.\nVotre clé n’est pas nécessaire.',

  trialHeading: {
    one: 'Encore {count} jour d’essai',
    many: 'Encore {count} jours d’essai',
    other: 'Encore {count} jours d’essai',
  },
  trialLead: 'Tout fonctionne jusqu’au {date}.',
  trialHint: 'Vous avez une clé de licence ? Collez-la ici à tout moment.',
  continueTrial: 'Continuer l’essai',
  trialOverHeading: 'Votre essai est terminé',
  trialOverLead: 'Saisissez une clé de licence pour continuer à utiliser {app}.',

  storageHeading: 'Veuillez activer à nouveau',
  notSavedHeading: 'La licence n’a pas pu être enregistrée',
  refusedHeading: 'L’activation a été refusée',
  misconfiguredHeading: 'La gestion des licences est mal configurée',
  misconfiguredLead: 'Vous n’y êtes pour rien.\nEnvoyez ce code à l’éditeur de {app} :',
  copyCode: 'Copier les détails',

  buy: 'Acheter une licence',
  help: 'Aide',
  support: 'Obtenir de l’aide',
  copyDetails: 'Copier les détails pour l’assistance',
  copied: 'Copié',

  problems: {
    'empty-text': 'Rien n’a été saisi. Collez la clé de licence reçue dans votre e-mail d’achat.',
    'no-license-key': 'Ce texte ne contient pas de clé de licence. Copiez-la depuis votre e-mail d’achat.',
    'several-license-keys': 'Ce texte contient plusieurs clés de licence. Collez seulement celle à utiliser.',
    'text-too-long': 'Ce texte est trop long pour une clé de licence. Collez uniquement la clé.',
    'license-not-found': 'Cette clé de licence est introuvable. Vérifiez que vous l’avez copiée en entier.',
    'wrong-product':
      'Cette clé de licence est destinée à un autre produit. Utilisez la clé de licence achetée pour cette application.',
    'license-expired': 'Cette licence a expiré. Renouvelez-la pour continuer à utiliser l’application.',
    'license-suspended': 'Cette licence est suspendue. Contactez l’assistance.',
    'license-inactive': 'Cette licence n’est pas active. Contactez l’assistance.',
    'no-seat-left':
      'Cette licence est utilisée sur autant d’appareils qu’elle le permet. Libérez-en un pour l’utiliser ici.',
    'activation-refused': 'Cette clé a été refusée. La licence a peut-être expiré ou été suspendue.',
    'activation-paused':
      'Cette activation a commencé il y a plus d’un jour. Saisissez de nouveau la clé de licence pour la terminer.',
    'activation-unconfirmed':
      'La connexion s’est interrompue avant la confirmation de l’activation. Réessayez pour la terminer.',
    'license-of-other-service':
      'Cette application a changé de service de licences. Saisissez votre nouvelle clé de licence.',
    'seat-may-be-taken':
      'La connexion s’est interrompue avant la confirmation de l’activation, qui occupe peut-être déjà une place. Réessayez, ou libérez d’abord cet appareil depuis votre compte client.',
    'test-license-key': 'Cette clé de licence est réservée aux tests. Utilisez la clé de l’e-mail d’achat.',
    'moved-to-another-device':
      'Votre licence a sans doute été transférée sur un autre appareil. Activez à nouveau pour l’utiliser ici.',
    unconfirmed:
      'Le service de licences a donné une réponse peu claire sur cet appareil. Il sera interrogé à nouveau.',
    'adoption-unavailable':
      'Le service de licences n’a pas listé les appareils ; une activation antérieure de cet appareil n’a donc pas pu être reprise.',
    'devices-not-listed':
      'Le service de licences n’affiche pas les appareils dans l’application. Libérez un appareil depuis votre compte client.',
    'device-not-found': 'Cet appareil ne fait plus partie de la licence. Actualisez la liste.',
    'deactivation-pending':
      'Cet appareil est désactivé. Sa place se libérera dès que le service de licences sera joignable.',
    offline: 'Le service de licences est injoignable. Vérifiez la connexion Internet.',
    timeout: 'Le service de licences n’a pas répondu à temps. Réessayez dans un instant.',
    'service-error': 'Le service de licences rencontre un problème. Réessayez plus tard.',
    'rate-limited': 'Trop de demandes. Réessayez plus tard.',
    'incomplete-answer':
      'La réponse du service de licences est arrivée incomplète. Réessayez dans un instant.',
    'unexpected-answer':
      'Une autre réponse que celle du service de licences est arrivée. Sur un réseau public, connectez-vous-y d’abord.',
    unauthorized:
      'Le service de licences n’a pas accepté la demande de cette application ou de son réseau. Essayez un autre réseau ou contactez l’assistance.',
    'untrusted-answer':
      'La réponse ne porte pas de signature valable du service de licences. Réessayez plus tard.',
    'store-empty': 'Le fichier de licence était vide et a été mis de côté. Activez à nouveau.',
    'store-unreadable': 'Le fichier de licence était endommagé et a été mis de côté. Activez à nouveau.',
    'store-newer-version':
      'Le fichier de licence vient d’une version plus récente de l’application. Mettez-la à jour ou activez à nouveau.',
    'store-undecryptable':
      'Le fichier de licence ne peut plus être déchiffré sur ce système. Redémarrez l’application et, si elle le demande, autorisez l’accès au trousseau. Sinon, activez à nouveau.',
    'store-edited':
      'Le fichier de licence a été modifié de l’extérieur et n’est plus fiable. Activez à nouveau.',
    'store-restored': 'Le fichier de licence était endommagé ; sa dernière bonne copie est utilisée.',
    'store-not-writable':
      'La licence n’a pas pu être enregistrée : le dossier de l’application est protégé en écriture. Vérifiez les droits du dossier et réessayez.',
    'disk-full':
      'La licence n’a pas pu être enregistrée : le disque est plein. Libérez de l’espace et réessayez.',
    'record-of-another-device':
      'Le fichier de licence a été copié depuis un autre appareil. Activez la licence ici pour l’utiliser aussi sur celui-ci.',
    'clock-behind': 'L’horloge de cet ordinateur n’est pas à l’heure. Réglez la date et l’heure.',
    'trial-over': 'L’essai est terminé. Saisissez une clé de licence pour continuer.',
    busy: 'Une autre opération de licence est en cours. Attendez qu’elle se termine.',
    'not-activated': 'Aucune licence n’est activée sur cet appareil.',
    misconfigured:
      'La gestion des licences est mal configurée dans cette application. Contactez son éditeur.',
    unexpected:
      'Un problème inattendu est survenu. Réessayez ; si cela se reproduit, contactez l’assistance.',
  },
}
