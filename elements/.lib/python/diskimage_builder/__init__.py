"""What diskimage-builder's elements import from the builder. Where the original is installed too, the rest is its."""
import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)
