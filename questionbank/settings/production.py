"""The world: every secret and address comes from the environment, or the start fails."""

from questionbank.settings import env
from questionbank.settings.base import *  # noqa: F403  # settings modules extend one another this way

DEBUG = False
SECRET_KEY = env.required("SECRET_KEY")
ALLOWED_HOSTS = [env.required("ALLOWED_HOSTS"), *env.names("EXTRA_HOSTS")]
DATABASES = {"default": env.database("DATABASE_URL", env.required("DATABASE_URL"))}
