"""Groups cut from trees and merged by Ward's rule."""
